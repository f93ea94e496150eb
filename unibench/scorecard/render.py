"""Scorecards as Markdown, CSV, JSON and LaTeX; the terminal's table is in the command."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

from unibench.scorecard.rows import Row, Scorecard

HEADINGS = ("agent", "suite", "verifier", "scale", "machine", "tasks", "n", "score", "95 %", "unscored", "bounds")


def cells(card: Scorecard, row: Row) -> tuple[str, ...]:
    """A row's texts, in the order of the headings."""
    shown = "all" if row.tasks_shown == "all" else "valid"
    if row.tasks_shown == "all":
        shown = "all that ran" if "valid" in card.checked else "all that ran, unchecked"
    return (
        card.agent.name,
        row.suite,
        row.row,
        row.scale,
        f"{row.substrate} ({row.fidelity})",
        shown,
        str(row.n),
        "" if row.score is None else f"{row.score:.3f}",
        "" if row.interval is None else f"{row.interval[0]:.3f} to {row.interval[1]:.3f}",
        str(row.unscored),
        "" if row.bounds is None else f"{row.bounds[0]:.3f} to {row.bounds[1]:.3f}",
    )


def official_line(card: Scorecard) -> str:
    """Upstream's headline, marked as what it is."""
    official = card.official
    score = "none scored" if official.score is None else f"{official.score:.3f}"
    kinds = f"mixes {len(official.kinds)} kinds" if len(official.kinds) > 1 else "one kind"
    return f"{card.agent.name} on {official.suite}, mean over all tasks: {score} over {official.tasks} of {official.of} tasks ({kinds})"


def notes(card: Scorecard) -> list[str]:
    """What a reader must know beside the rows."""
    lines = [official_line(card)]
    if card.finished < card.planned:
        lines.append(f"not finished: {card.finished} of {card.planned} episodes")
    if card.dropped:
        reasons: dict[str, set[str]] = {}
        for dropped in card.dropped:
            reasons.setdefault(dropped.reason, set()).add(dropped.task)
        lines += [f"dropped, {reason}: {len(tasks)} tasks ({', '.join(sorted(tasks))})" for reason, tasks in sorted(reasons.items())]
    if card.checked.get("stale"):
        lines.append(f"stale in the ledger, so not applied: {card.checked['stale']} episodes")
    if set(card.checked) == {"unchecked"}:
        lines.append(f"unchecked: no golden check's ledger was applied; make one: unibench golden-check {card.suite}")
    lines.append(f"verifiers: {card.verifiers} implementations; {card.largest_verifier} judges {card.largest_share:.0%}")
    lines.append("settings: " + settings_line(card))
    if card.usage:
        lines.append("used: " + ", ".join(f"{name} {value:g}" for name, value in sorted(card.usage.items())))
    return lines


def settings_line(card: Scorecard) -> str:
    """The protocol in one line."""
    kept = ("upstream", "settings", "observe", "max_steps", "score_at_budget", "ledger_policy", "unibench")
    return json.dumps({name: card.protocol[name] for name in kept}, sort_keys=True)


def markdown(cards: Sequence[Scorecard]) -> str:
    lines = ["| " + " | ".join(HEADINGS) + " |", "|" + "---|" * len(HEADINGS)]
    for card in cards:
        lines += ["| " + " | ".join(cells(card, row)) + " |" for row in card.rows]
    for card in cards:
        lines += ["", *(f"- {note}" for note in notes(card))]
    return "\n".join(lines) + "\n"


def as_csv(cards: Sequence[Scorecard]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADINGS)
    for card in cards:
        writer.writerows(cells(card, row) for row in card.rows)
    return text.getvalue()


def as_json(cards: Sequence[Scorecard]) -> str:
    return json.dumps([card.model_dump(mode="json") for card in cards], indent=1) + "\n"


_LATEX = {c: "\\" + c for c in "&%$#_{}"} | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def escaped(text: str) -> str:
    """Text as LaTeX."""
    return "".join(_LATEX.get(c, c) for c in text)


def latex(cards: Sequence[Scorecard]) -> str:
    """A booktabs table; needs ``\\usepackage{booktabs}``."""
    lines = [r"\begin{tabular}{llllllrrlrl}", r"\toprule", " & ".join(map(escaped, HEADINGS)) + r" \\", r"\midrule"]
    for card in cards:
        lines += [" & ".join(map(escaped, cells(card, row))) + r" \\" for row in card.rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    for card in cards:
        lines += [f"% {note}" for note in notes(card)]
    return "\n".join(lines) + "\n"
