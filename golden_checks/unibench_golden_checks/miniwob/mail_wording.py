"""What an instruction about an inbox asks for, in fixed words or in anybody's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from unibench_golden_checks.miniwob.recipe import UnexpectedGoal


@dataclass(frozen=True)
class Request:
    """What to do with whose mail.

    Attributes:
        action: ``star``, ``delete``, ``reply``, ``forward``, or ``open`` where one only wants to see it.
        by: the sender of the mail.
        to: to whom it is forwarded.
        text: what the reply says.
    """

    action: str
    by: str
    to: str = ""
    text: str = ""


_FIXED = (
    (r'^Find the email by (?P<by>.+?) and reply to them with the text "(?P<text>.+)"\.$', "reply"),
    (r"^Find the email by (?P<by>.+?) and forward that email to (?P<to>.+)\.$", "forward"),
    (r"^Find the email by (?P<by>.+?) and click the trash icon to delete it\.$", "delete"),
    (r"^Find the email by (?P<by>.+?) and click the star icon to mark it as important\.$", "star"),
)

# What the page offers no way to do: reminders, requests to others, mails that were sent, not received, and marking as unread.
_OUT_OF_REACH = re.compile(r"^remind me|^ask \S+ to|\bthat I (have )?sent to\b|\bas unread\b", re.I)
_DELETE = re.compile(r"\b(delet|remov|get rid|trash|throw away|recycling)|\bout of my inbox|\bdon't want\b", re.I)
_SEE = re.compile(r"^(please )?(find|hunt|I would like to see)\b(?!.* and ).*\b(important email|that is (marked as )?important)\b", re.I)
_STAR = re.compile(r"\b(mark|star|flag|import|impor|imip)", re.I)


def fixed_request(goal: str) -> Request:
    """Reads an instruction of the tasks that always use the same words."""
    for pattern, action in _FIXED:
        found = re.search(pattern, goal)
        if found:
            return Request(action, **found.groupdict())
    raise UnexpectedGoal(f"the goal {goal!r} is not in the usual words")


def free_request(goal: str, senders: Sequence[str]) -> Request:
    """Reads an instruction in anybody's words.

    Args:
        goal: the instruction.
        senders: the names that the inbox shows; the instruction's names are found among them.
    """
    if _OUT_OF_REACH.search(goal):
        raise UnexpectedGoal(f"no page of the inbox does what is asked for: {goal!r}")
    quote = re.search(r'"+\s*([^"]+?)\s*"+', goal)
    words = goal.replace(quote.group(0), " ") if quote else goal
    anyone = "|".join(re.escape(name) for name in sorted(set(senders), key=len, reverse=True))
    # A possessive may lack its apostrophe, and a name the space before it.
    name = rf"(?<![\w-])({anyone})(?=(?:'?s)?(?![\w-]))"
    if not re.search(name, words):
        name = rf"({anyone})(?=(?:'?s)?(?![\w-]))"
    named = re.findall(name, words)
    if not named:
        raise UnexpectedGoal(f"the goal {goal!r} names nobody whose mail is in the inbox")
    by = _author(words, name, named)
    if quote:
        return Request("reply", by, text=quote.group(1))
    if _DELETE.search(words):
        return Request("delete", by)
    if _SEE.search(words):
        return Request("open", by)
    if _STAR.search(words):
        return Request("star", by)
    # One person may be both: the name is there twice.
    others = [person for person in named if person != by] or named[1:]
    if not others:
        raise UnexpectedGoal(f"the goal {goal!r} does not say to whom")
    return Request("forward", by, to=others[0])


def _author(words: str, name: str, named: Sequence[str]) -> str:
    """Whose mail is meant: the clearest way of saying so decides."""
    adjective = r"(?:\w+ )?"
    for pattern in (
        rf"\b(?:from|by) {name}",
        rf"{name} (?:sent|wrote)\b",
        rf"{name}'?s {adjective}(?:[Ee]-?)?(?:mail|message)",
        rf"\bthe {name} e-?mail",
    ):
        found = re.search(pattern, words)
        if found:
            return found.group(1)
    to = re.search(rf"\bto {name}", words)
    return next((person for person in named if to and person != to.group(1)), named[0])
