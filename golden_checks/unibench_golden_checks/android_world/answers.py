"""Questions that are answered in words: events, to-dos, sports activities, notes."""

from __future__ import annotations

from typing import Any, ClassVar

from unibench_golden_checks.android_world.recipe import Recipe, State, recipe

_NOT_ONE_TO_ONE = "upstream asks of each part of the answer whether it is among the expected ones, not the other way round"


@recipe("InformationRetrieval")
class Answer(Recipe):
    """The state is the answer, as its parts; the phone stays as it is."""

    mutations: ClassVar[tuple[str, ...]] = ("none-of-them", "one-missing", "one-too-many", "one-repeated", "does-not-know")
    note = f"the answer is computed by upstream from the state that it set up; {_NOT_ONE_TO_ONE}"

    def prepare(self) -> None:
        self.said: State = []
        self.before = []

    def by_data(self) -> State:
        from android_world.task_evals.information_retrieval import proto_utils

        return [_text(value) for value in proto_utils.get_expected_answer(self.task.task)]

    def mutant(self, name: str, wanted: State) -> State | None:
        several = len(wanted) > 1 and len(set(wanted)) > 1
        match name:
            case "none-of-them":
                return [_other(part) for part in wanted]
            case "one-missing":
                return wanted[1:] if several else None
            case "one-too-many":
                return [*wanted, _other(wanted[0])] if wanted else None
            case "one-repeated":
                return [wanted[0]] * len(wanted) if several else None
            case "does-not-know":
                return ["I do not know"]
        return None

    def construct(self, state: State) -> None:
        text = ", ".join(state)
        self.phone.steps.append(["answer", text])
        self.said = state
        self.handle.say(text)

    def read(self) -> State:
        return list(self.said)


def _text(value: Any) -> str:
    """A value as the goal asks for it: ``October 15 2023``, ``21:30``, a number, a text."""
    kind = type(value).__name__
    if kind == "datetime":
        return str(value.strftime("%B %d %Y %H:%M"))
    if kind == "date":
        return str(value.strftime("%B %d %Y"))
    if kind == "time":
        return str(value.strftime("%H:%M"))
    return _number(value) if isinstance(value, float) else str(value)


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() else str(round(value, 4))


def _other(part: str) -> str:
    """Something of the same form that is wrong."""
    try:
        return _number(float(part) * 2 + 100)
    except ValueError:
        pass
    from datetime import datetime, timedelta

    for form in ("%B %d %Y %H:%M", "%B %d %Y", "%H:%M"):
        try:
            return (datetime.strptime(part, form) + timedelta(days=3, hours=3)).strftime(form)
        except ValueError:
            continue
    return "Something else entirely"
