"""What an agent can do: one union for all suites, and each suite's own language as :class:`Native`.

Points are in pixels of the unscaled screenshot that the session returns; element refs are valid for the latest observation.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from unibench.errors import UnsupportedAction
from unibench.record import Record


class Point(Record):
    """A place on the screenshot: pixels from its left and top edge."""

    x: float
    y: float


class Element(Record):
    """An element by the ref that the latest observation gave it."""

    ref: str


Target: TypeAlias = Point | Element
Button: TypeAlias = Literal["left", "middle", "right"]


class Click(Record):
    type: Literal["click"] = "click"
    target: Target
    button: Button = "left"


class DoubleClick(Record):
    type: Literal["double_click"] = "double_click"
    target: Target


class Move(Record):
    """Moves the pointer, or hovers over an element."""

    type: Literal["move"] = "move"
    target: Target


class _FromTo(Record):
    start: Target
    end: Target

    @model_validator(mode="after")
    def _alike(self) -> Self:
        if type(self.start) is not type(self.end):
            raise ValueError("start and end are both points or both elements")
        return self


class Drag(_FromTo):
    type: Literal["drag"] = "drag"


class Scroll(Record):
    """Turns the wheel, at a target or where the pointer is; pixels, positive is right and down."""

    type: Literal["scroll"] = "scroll"
    target: Target | None = None
    dx: float = 0
    dy: float = 0


class Type(Record):
    """Types text into what has the focus, or first clicks the target."""

    type: Literal["type"] = "type"
    text: str
    target: Target | None = None


class Key(Record):
    """Presses one key, by its DOM name (``Enter``, ``ArrowDown``, ``a``)."""

    type: Literal["key"] = "key"
    key: str = Field(min_length=1)


class Hotkey(Record):
    """Presses keys together, the modifiers first: ``("Control", "a")``."""

    type: Literal["hotkey"] = "hotkey"
    keys: tuple[str, ...] = Field(min_length=1)


class LongPress(Record):
    type: Literal["long_press"] = "long_press"
    target: Target
    seconds: float = Field(default=1.0, gt=0, le=60)


class Swipe(_FromTo):
    type: Literal["swipe"] = "swipe"
    seconds: float = Field(default=0.3, gt=0, le=60)


class Back(Record):
    type: Literal["back"] = "back"


class Home(Record):
    type: Literal["home"] = "home"


class OpenApp(Record):
    type: Literal["open_app"] = "open_app"
    name: str


class Goto(Record):
    type: Literal["goto"] = "goto"
    url: str


class Wait(Record):
    type: Literal["wait"] = "wait"
    seconds: float = Field(default=1.0, ge=0, le=600)


class Answer(Record):
    """An answer for the verifier. It ends nothing unless the setting says so; the last one counts."""

    type: Literal["answer"] = "answer"
    text: str


class Done(Record):
    """The agent says that the task is done; ends the episode."""

    type: Literal["done"] = "done"


class Infeasible(Record):
    """The agent says that the task cannot be done; ends the episode."""

    type: Literal["infeasible"] = "infeasible"
    reason: str = ""


class Native(Record):
    """The suite's own language, recorded as such, e.g. ``Native(dialect="browsergym", code="click('12')")``."""

    type: Literal["native"] = "native"
    dialect: str
    code: str


Action: TypeAlias = Annotated[
    Click
    | DoubleClick
    | Move
    | Drag
    | Scroll
    | Type
    | Key
    | Hotkey
    | LongPress
    | Swipe
    | Back
    | Home
    | OpenApp
    | Goto
    | Wait
    | Answer
    | Done
    | Infeasible
    | Native,
    Field(discriminator="type"),
]

_ADAPTER: TypeAdapter[Action] = TypeAdapter(Action)

KINDS: tuple[str, ...] = (
    "click", "double_click", "move", "drag", "scroll", "type", "key", "hotkey", "long_press", "swipe", "back", "home",
    "open_app", "goto", "wait", "answer", "done", "infeasible", "native",
)  # fmt: skip


def parse_action(value: Any, *, dialect: str | None = None) -> Action:
    """An action from an action, a mapping, or a string of the suite's native dialect.

    Args:
        value: an :data:`Action`; a mapping with ``type``; or, where ``dialect`` is given, a string.
        dialect: the native dialect that plain strings are taken to be.

    Raises:
        UnsupportedAction: the value is none of these.
    """
    if isinstance(value, Record) and getattr(value, "type", None) in KINDS:
        return value  # type: ignore[return-value]
    if isinstance(value, str):
        if dialect is None:
            raise UnsupportedAction(f"a plain string is no action of this suite, which has no native dialect: {value[:80]!r}")
        return Native(dialect=dialect, code=value)
    try:
        return _ADAPTER.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        if first["type"] == "union_tag_not_found":
            mend = f", or a string of the suite's own language, {dialect}" if dialect else ""
            raise UnsupportedAction(
                f"not an action: it has no 'type', such as 'click' or 'done' (of {str(value)[:120]}); give one{mend}"
            ) from None
        where = ".".join(str(part) for part in first["loc"])
        raise UnsupportedAction(f"not an action: {where + ': ' if where else ''}{first['msg']} (of {str(value)[:120]})") from None
