"""Scorecards as Markdown, CSV, JSON and LaTeX; the terminal's table is in the command."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Sequence

from unibench.redaction import REDACTED
from unibench.runs.remarks import golden_check, lacks_remark, stale_remark
from unibench.scorecard.rows import Row, Scorecard

MODEL = "model"
"""The argument that names an agent's model."""

HEADINGS = ("agent", "suite", "verifier", "scale", "machine", "tasks", "n", "score", "95 %", "unscored", "bounds")


def label(card: Scorecard) -> str:
    """What the card's agent is called; never cut."""
    return card.label or _called(card, set(card.agent.arguments))


def labelled(cards: Sequence[Scorecard]) -> list[Scorecard]:
    """The cards with labels that tell their rows apart.

    An agent's model comes first; of its other arguments those are named that are not the same in all its runs. Where that tells
    two rows no more apart (they differ in a secret, or in nothing), the run's folder does.
    """
    by_agent: dict[str, list[Scorecard]] = {}
    for card in cards:
        by_agent.setdefault(card.agent.name, []).append(card)
    named: list[Scorecard] = []
    for card in cards:
        others = [other.agent.arguments for other in by_agent[card.agent.name]]
        differing = {name for each in others for name in each if any(name not in other or other[name] != each[name] for other in others)}
        shown = differing | {MODEL} if len(others) > 1 else set(card.agent.arguments)
        named.append(card.model_copy(update={"label": _called(card, shown)}))
    alike = Counter(_row_of(card) for card in named)
    return [card.model_copy(update={"label": f"{card.label} ({card.run})"}) if alike[_row_of(card)] > 1 else card for card in named]


def _called(card: Scorecard, shown: set[str]) -> str:
    arguments = [(name, value) for name, value in card.agent.arguments.items() if name in shown and value != REDACTED]
    arguments.sort(key=lambda each: (each[0] != MODEL, each[0]))
    return " ".join(" ".join([card.agent.name, *(f"{name}={value}" for name, value in arguments)]).split())


def _row_of(card: Scorecard) -> tuple[str, str, str]:
    return (card.label, card.suite, card.substrate.name)


def card_rows(card: Scorecard) -> list[tuple[str, ...]]:
    """All lines of a card's table: the rows, then upstream's headline."""
    return [*(cells(card, row) for row in card.rows), *official_cells(card)]


def cells(card: Scorecard, row: Row) -> tuple[str, ...]:
    """A row's texts, in the order of the headings."""
    shown = {"valid": "valid", "all": "that ran" if "valid" in card.checked else "that ran, unchecked"}[row.tasks_shown]
    return (
        label(card),
        row.suite,
        row.row,
        row.scale,
        f"{row.substrate} ({row.fidelity})",
        f"{row.tasks} {shown}",
        str(row.n),
        _score(row.score),
        "" if row.interval is None else f"{row.interval[0]:.3f} to {row.interval[1]:.3f}",
        str(row.unscored),
        "" if row.bounds is None else f"{row.bounds[0]:.3f} to {row.bounds[1]:.3f}",
    )


def official_cells(card: Scorecard) -> list[tuple[str, ...]]:
    """Upstream's headline over its own number of tasks, marked as what it is, and the same over valid tasks."""
    official = card.official
    scale = "+".join(sorted({kind.rpartition("(")[2].rstrip(")") for kind in official.kinds}))
    kinds = f"mixes {len(official.kinds)} kinds" if len(official.kinds) > 1 else "one kind" if official.kinds else "no episode yet"
    machine = f"{card.substrate.name} ({card.substrate.fidelity})"
    start = (label(card), official.suite, f"official: {official.name}; {kinds}", scale, machine)
    rows: list[tuple[str, ...]] = [
        (*start, f"{official.tasks} of {official.of}", str(official.n), _score(official.score), "", str(official.unscored), "")
    ]
    if official.valid_tasks is not None:
        rows.append((*start, f"{official.valid_tasks} valid", str(official.valid_n), _score(official.valid_score), "", "", ""))
    return rows


def _score(score: float | None) -> str:
    return "" if score is None else f"{score:.3f}"


def warnings(card: Scorecard) -> list[str]:
    """What must be printed with a card wherever its rows are."""
    lines = [f"allowed to differ: {each.line}" for each in card.differences]
    if card.missing:
        lines.append(f"{label(card)}: a reference result, for it is not on record: {', '.join(card.missing)}")
    if card.official.lacks:
        lines.append(f"{label(card)}: the official row is not upstream's own number: {', '.join(card.official.lacks)}")
    if card.without_cost:
        lines.append(f"{label(card)}: --max-cost did not bound {card.without_cost} episodes, whose agent reported no cost")
    return lines


def notes(card: Scorecard) -> list[str]:
    """What a reader must know beside the rows."""
    lines = [f"{label(card)} on {card.suite}: {card.run}", f"official row: {card.official.rule} ({card.official.source})", *warnings(card)]
    if card.finished < card.planned:
        lines.append(f"not finished: {card.finished} of {card.planned} episodes")
    if card.dropped:
        reasons: dict[str, set[str]] = {}
        for dropped in card.dropped:
            reasons.setdefault(dropped.reason, set()).add(dropped.task)
        lines += [f"dropped, {reason}: {len(tasks)} tasks ({', '.join(sorted(tasks))})" for reason, tasks in sorted(reasons.items())]
    if card.checked.get("stale"):
        lines.append(stale_remark(card.suite, card.ledger, f"{card.checked['stale']} episodes"))
    if lacks := lacks_remark(card.suite, card.ledger):
        lines.append(f"unchecked: {lacks}")
    elif set(card.checked) == {"unchecked"} and not card.protocol.get("ledger"):
        lines.append(f"unchecked: no golden check's ledger was applied; make one: {golden_check(card.suite, card.ledger)}")
    if card.verifiers:
        lines.append(f"verifiers: {card.verifiers} implementations; {card.largest_verifier} judges {card.largest_share:.0%}")
    lines.append("settings: " + settings_line(card))
    if card.usage:
        lines.append("used: " + ", ".join(f"{name} {value:g}" for name, value in sorted(card.usage.items())))
    return lines


def settings_line(card: Scorecard) -> str:
    """The protocol in one line."""
    left_out = ("suite", "settings_digest", "substrate", "dialects", "ledger")
    kept = {name: value for name, value in card.protocol.items() if name not in left_out and value is not None}
    return json.dumps({**kept, "machine": card.substrate.digest}, sort_keys=True)


def by_suite(cards: Sequence[Scorecard]) -> dict[str, list[Scorecard]]:
    """The cards of each suite, which make a section."""
    found: dict[str, list[Scorecard]] = {}
    for card in cards:
        found.setdefault(card.suite, []).append(card)
    return found


def markdown(cards: Sequence[Scorecard]) -> str:
    sections = []
    suites = by_suite(labelled(cards))
    for suite, group in suites.items():
        lines = [f"## {suite}", ""] if len(suites) > 1 else []
        lines += ["| " + " | ".join(HEADINGS) + " |", "|" + "---|" * len(HEADINGS)]
        lines += ["| " + " | ".join(_cell(text) for text in row) + " |" for card in group for row in card_rows(card)]
        for card in group:
            lines += ["", *(f"- {note}" for note in notes(card))]
        sections.append("\n".join(lines) + "\n")
    return "\n".join(sections)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def as_csv(cards: Sequence[Scorecard]) -> str:
    """The rows; the last column holds what else must be said of a row's card."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((*HEADINGS, "remarks"))
    for card in labelled(cards):
        writer.writerows((*row, "; ".join(warnings(card))) for row in card_rows(card))
    return text.getvalue()


def as_json(cards: Sequence[Scorecard]) -> str:
    return json.dumps([card.model_dump(mode="json") for card in labelled(cards)], indent=1) + "\n"


_LATEX = {c: "\\" + c for c in "&%$#_{}"} | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def escaped(text: str) -> str:
    """Text as LaTeX."""
    return "".join(_LATEX.get(c, c) for c in text)


def latex(cards: Sequence[Scorecard]) -> str:
    """A booktabs table; needs ``\\usepackage{booktabs}``. What must be said is printed below it, the other notes are comments."""
    cards = labelled(cards)
    lines = [r"\begin{tabular}{llllllrrlrl}", r"\toprule", " & ".join(map(escaped, HEADINGS)) + r" \\"]
    for group in by_suite(cards).values():
        lines.append(r"\midrule")
        lines += [" & ".join(map(escaped, row)) + r" \\" for card in group for row in card_rows(card)]
    lines += [r"\bottomrule", r"\end{tabular}"]
    for card in cards:
        lines += [rf"\par\footnotesize {escaped(warning)}" for warning in warnings(card)]
    for card in cards:
        lines += [f"% {note}" for note in notes(card)]
    return "\n".join(lines) + "\n"
