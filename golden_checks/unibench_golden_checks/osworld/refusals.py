"""Tasks that cannot be done: only saying so is right."""

from __future__ import annotations

from unibench.actions import Answer, Done, Infeasible
from unibench.golden.control import BELOW_GOLDEN, PASSED, Control, Provenance, Role

BY_WORDS = Provenance(source="instruction", means="nothing", note="the task asks for what the machine cannot do")


def refusal_controls() -> list[Control]:
    """The refusal passes; taken back, or only said as an answer, it does not."""
    refuses = Infeasible(reason="this cannot be done here")
    return [
        Control("golden", Role.GOLDEN, PASSED, BY_WORDS, final=(refuses,)),
        Control("claims-infeasible", Role.TRIVIAL, PASSED, BY_WORDS, final=(refuses,)),
        Control("takes-it-back", Role.MUTANT, BELOW_GOLDEN, BY_WORDS, final=(refuses, Done())),
        Control("only-answers", Role.MUTANT, BELOW_GOLDEN, BY_WORDS, final=(Answer(text="this cannot be done"), Done())),
    ]
