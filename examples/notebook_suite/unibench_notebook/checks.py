"""What judges the notebook's tasks: unibench's own page-state check, and two kinds that this plug-in registers."""

import time

from unibench.verdict import Evidence, Join, Verdict, VerifierDescriptor, VerifierKind
from unibench_verifiers.page_state import Condition, PageState

OWNER = "unibench-notebook"

ANSWER_MATCH = VerifierKind(name="answer-match", summary="compares the agent's last answer with a reference", reads="answer")
REFUSAL = VerifierKind(name="refusal", summary="passes if the agent says that the task cannot be done", reads="the agent's last action")


def describe_answer(name: str) -> VerifierDescriptor:
    return VerifierDescriptor(
        kind=ANSWER_MATCH.name,
        name=name,
        implementation="unibench_notebook.checks:verify_answer",
        owner=OWNER,
        scale="binary",
        when="end",
        reads=("the last answer",),
    )


def verify_answer(descriptor: VerifierDescriptor, answer: str | None, reference: str) -> Verdict:
    """1 if the answer is the reference, but for space around it."""
    passed = answer is not None and answer.strip() == reference
    return Verdict.of(descriptor, float(passed), evidence=Evidence(expected=reference, found=answer))


def describe_refusal(name: str) -> VerifierDescriptor:
    return VerifierDescriptor(
        kind=REFUSAL.name,
        name=name,
        implementation="unibench_notebook.checks:verify_refusal",
        owner=OWNER,
        scale="binary",
        when="end",
        reads=("the agent's last action",),
    )


def verify_refusal(descriptor: VerifierDescriptor, refused: bool) -> Verdict:
    return Verdict.of(descriptor, float(refused), evidence=Evidence(expected="infeasible", found="infeasible" if refused else None))


def describe_all_of(name: str, *children: VerifierDescriptor) -> VerifierDescriptor:
    """A composite that passes if all its children do."""
    return VerifierDescriptor(
        kind=children[0].kind,
        name=name,
        implementation="unibench_notebook.checks:verify_all_of",
        owner=OWNER,
        scale="binary",
        when="end",
        reads=tuple(read for child in children for read in child.reads),
        acts_first=tuple(step for child in children for step in child.acts_first),
        children=children,
        join=Join.ALL,
    )


def verify_all_of(descriptor: VerifierDescriptor, *verdicts: Verdict) -> Verdict:
    start = time.perf_counter()
    passed = all(verdict.passed for verdict in verdicts)
    return Verdict.of(descriptor, float(passed), children=verdicts, seconds=time.perf_counter() - start)


def notes_unchanged(task: str, notes: tuple[str, ...]) -> PageState:
    return PageState(f"{task}/notes", [Condition(selector=".note", expected=notes)], owner=OWNER)
