"""A suite's settings, and the machine an episode ran on.

Each setting knows upstream's own value and whether it affects scores: those that do are part of every ledger key.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import Field, ValidationError

from unibench.errors import InvalidSetting, UnknownName, UsageError
from unibench.record import Record, canonical_json, digest


def setting(default: Any, *, upstream: Any, affects_scores: bool, description: str, program: bool = False, **limits: Any) -> Any:
    """A field of a :class:`Settings` class.

    Args:
        default: our default.
        upstream: the value that reproduces upstream.
        affects_scores: whether another value can change a score.
        description: one line for people.
        program: whether it says which program of this machine is run, or how.
        limits: pydantic's constraints (``ge``, ``le`` …).
    """
    return Field(
        default=default,
        description=description,
        json_schema_extra={"upstream": upstream, "affects_scores": affects_scores, "program": program},
        **limits,
    )


class Settings(Record):
    """The base of every suite's settings: frozen, each field made by :func:`setting`."""

    @classmethod
    def parse(cls, pairs: Mapping[str, Any]) -> Self:
        """Settings from names and (text) values, as ``--set k=v`` gives them.

        Raises:
            UnknownName: there is no such setting.
            InvalidSetting: a value does not fit.
        """
        for name in pairs:
            if name not in cls.model_fields:
                raise UnknownName.among("setting", name, cls.model_fields)
        try:
            return cls.model_validate(dict(pairs))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise InvalidSetting(f"setting {first['loc'][0]}={first['input']!r}: {first['msg']}") from None

    @classmethod
    def recorded(cls, values: Mapping[str, Any], changed: Mapping[str, Any] | None = None) -> Self:
        """Settings as a ledger or a run has them, with some changed.

        A record may be another's: which programs of this machine are run is for this machine's user to say, so those are left out.

        Raises:
            UnknownName, InvalidSetting: as :meth:`parse`.
            UsageError: a setting that affects scores was changed, so that nothing could be compared.
        """
        kept = {name: value for name, value in values.items() if name not in cls.model_fields or not cls.facts(name).get("program")}
        before, now = cls.parse(kept), cls.parse({**kept, **(changed or {})})
        for name, value in now.score_affecting().items():
            if (was := before.score_affecting()[name]) != value:
                raise UsageError(f"setting {name} affects scores and was {was!r}, so verdicts could not be compared; leave it")
        return now

    def score_affecting(self) -> dict[str, Any]:
        """The settings that can change a score, by name."""
        values = self.model_dump(mode="json")
        return {name: values[name] for name in type(self).model_fields if self.facts(name)["affects_scores"]}

    def not_upstreams(self) -> list[str]:
        """Names of the settings that can change a score and do not have upstream's value."""
        return [name for name, value in self.score_affecting().items() if value != json.loads(canonical_json(self.facts(name)["upstream"]))]

    @classmethod
    def facts(cls, name: str) -> dict[str, Any]:
        """Upstream's value and whether the setting affects scores."""
        extra = cls.model_fields[name].json_schema_extra
        if not isinstance(extra, dict):
            raise TypeError(f"{cls.__name__}.{name} is not made by setting()")
        return dict(extra)

    @property
    def digest(self) -> str:
        """Names the settings that affect scores."""
        return digest(self.score_affecting())


Fidelity = Literal["official", "equivalent", "stand-in"]


class Substrate(Record):
    """The machine that an episode ran on.

    Attributes:
        fidelity: ``official`` (upstream's own), ``equivalent`` (the same in what scores depend on), or ``stand-in``
            (good for checking verifiers; its results never speak for the official one).
        digest: the image's digest or the program's version.
        agents: whether agents may act on it.
    """

    name: str
    fidelity: Fidelity
    digest: str = ""
    agents: bool = True
