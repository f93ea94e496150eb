"""Settings from text, and what is part of a ledger's key."""

from __future__ import annotations

import pytest

from unibench.errors import InvalidSetting, UnknownName, UsageError
from unibench.settings import Settings, setting
from unibench_browsergym.miniwob import FACE, MiniwobSettings


def test_texts_become_values() -> None:
    settings = MiniwobSettings.parse({"allow_any_url": "true", "slow_mo": "100"})
    assert settings.allow_any_url is True
    assert settings.slow_mo == 100.0


def test_a_wrong_name_says_what_was_meant() -> None:
    with pytest.raises(UnknownName, match="did you mean 'slow_mo'"):
        MiniwobSettings.parse({"slowmo": "1"})


@pytest.mark.parametrize("value", ["fast", "-1", "nan", "inf"])
def test_a_wrong_value_names_the_setting(value: str) -> None:
    with pytest.raises(InvalidSetting, match="slow_mo"):
        MiniwobSettings.parse({"slow_mo": value})


def test_only_settings_that_affect_scores_are_in_the_digest() -> None:
    from unibench_notebook import NotebookSettings

    assert NotebookSettings().digest == NotebookSettings(spawn_variable=False).digest
    assert NotebookSettings().digest != NotebookSettings(autosave=True).digest
    assert set(MiniwobSettings().score_affecting()) == set(MiniwobSettings.model_fields) - {"reseed_in_page"}


def test_settings_say_where_they_are_not_upstreams() -> None:
    assert MiniwobSettings().not_upstreams() == ["pre_observation_delay", "wait_for_paint", "slow_mo", "allow_any_url", "allow_upload"]
    upstreams = {name: MiniwobSettings.facts(name)["upstream"] for name in MiniwobSettings.model_fields}
    assert MiniwobSettings.parse(upstreams).not_upstreams() == []


def test_an_unknown_substrate_is_said() -> None:
    with pytest.raises(UnknownName, match="chromium"):
        FACE.substrate("firefox")


class Machines(Settings):
    """A setting of each kind."""

    tool: str = setting("", upstream="", affects_scores=False, description="a program", program=True)
    jobs: int = setting(1, upstream=1, affects_scores=False, description="a number")
    strict: bool = setting(False, upstream=False, affects_scores=True, description="a rule")


def test_a_record_names_no_program_of_this_machine() -> None:
    recorded = {"tool": "/tmp/evil", "jobs": 3, "strict": True}
    assert Machines.recorded(recorded) == Machines(jobs=3, strict=True)
    assert Machines.recorded(recorded, {"tool": "/own/tool", "jobs": "4", "strict": "true"}) == Machines(
        tool="/own/tool", jobs=4, strict=True
    )


def test_a_records_settings_that_affect_scores_stay() -> None:
    with pytest.raises(UsageError, match="setting strict affects scores and was True, so verdicts could not be compared"):
        Machines.recorded({"strict": True}, {"strict": "false"})
    with pytest.raises(UnknownName, match="setting"):
        Machines.recorded({"no_more": 1})
