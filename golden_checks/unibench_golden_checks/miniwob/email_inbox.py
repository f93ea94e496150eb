"""Recipes for an inbox: star, delete, reply to or forward one mail."""

from __future__ import annotations

from typing import ClassVar

from unibench_golden_checks.miniwob.hand import Hand
from unibench_golden_checks.miniwob.mail_wording import Request, fixed_request, free_request
from unibench_golden_checks.miniwob.recipe import Recipe, State, others, recipe

UNCHANGED = "as it came"

# Whose mail in the list, and which of its parts, lies under a point.
_IN_LIST = """([x, y]) => {
  const hit = document.elementFromPoint(x, y), mail = hit && hit.closest('#main .email-thread');
  if (!mail) return null;
  const action = hit.matches('.star') ? 'star' : hit.matches('.trash') ? 'delete' : 'open';
  return {action, by: mail.querySelector('.email-sender').textContent};
}"""

# The open mail (it stays in the document while one replies) and what is being written.
_OPEN = """() => {
  const shown = e => e && e.offsetParent, text = s => document.querySelector(s).textContent;
  const reply = document.querySelector('#reply'), forward = document.querySelector('#forward');
  if (shown(reply)) return {action: 'reply', by: text('.reply-sender'), text: document.querySelector('#reply-text').value};
  if (shown(forward)) return {
    action: 'forward', by: text('#email .email-sender'), to: document.querySelector('.forward-sender').value,
    text: document.querySelector('#forward-text').value};
  return null;
}"""

# Whether the icons that are on show have come: they have no width before, and push others aside when they get it.
_ICONS = """() => [...document.querySelectorAll('#area span, #area .icon')].every(
  e => !e.offsetParent || !getComputedStyle(e).content.startsWith('url') || e.offsetWidth)"""


class Inbox(Recipe):
    """The state is what is about to be done with whose mail; a forwarded mail's text is as it came, or whose it is."""

    submits: ClassVar[bool] = False

    def __init__(self, hand: Hand, goal: str) -> None:
        super().__init__(hand, goal)
        self.bodies: dict[str, str] = {}

    def request(self) -> Request:
        """What the goal asks for."""
        return fixed_request(self.goal)

    def want(self) -> State:
        asked = self.request()
        return self.state(asked.action, asked.by, to=asked.to, text=asked.text)

    def state(self, action: str, by: str, *, to: str = "", text: str = "") -> State:
        if action == "reply":
            return {"action": action, "by": by, "text": text}
        if action == "forward":
            return {"action": action, "by": by, "to": to, "text": text or UNCHANGED}
        return {"action": action, "by": by}

    def senders(self) -> list[str]:
        return self.hand.texts("#main .email-sender")

    def other(self, by: str, to: str) -> str | None:
        """Another sender, best one whom the goal does not name at all."""
        senders = self.senders()
        return next(others(senders, [by, to]), next(others(senders, by), None))

    def mutant(self, name: str) -> State | None:
        wanted = self.wanted
        action, by, to, text = wanted["action"], wanted["by"], wanted.get("to", ""), wanted.get("text", "")
        if name == "other-target":
            other = self.other(by, to)
            return other and {**wanted, "by": other}
        if name == "wrong-action":
            swapped = {"star": "delete", "delete": "star", "reply": "forward", "forward": "reply", "open": "star"}[action]
            return self.state(swapped, by, to=by, text=text if action == "reply" else f"To {to}")
        if name == "only-opened":
            return self.state("open", by) if action in ("star", "delete") else None
        if action == "reply":
            changed = {"near-miss": text[:-1], "wrong-value": text.lower(), "one-missing": ""}
            return {**wanted, "text": changed[name]} if name in changed else None
        if action == "forward":
            return self.wrongly_forwarded(name)
        return None

    def wrongly_forwarded(self, name: str) -> State | None:
        wanted, senders = self.wanted, self.senders()
        by, to = wanted["by"], wanted["to"]
        if name == "near-miss":
            return {**wanted, "to": to[:-1]}
        if name == "wrong-value":
            other = next(others(senders, [by, to]), None)
            return other and {**wanted, "to": other}
        if name == "one-missing":
            return {**wanted, "to": ""}
        if name == "text-lost":
            return {**wanted, "text": ""}
        if name == "same-text-of-other-mail":
            other = self.other(by, to)
            return other and {**wanted, "by": other, "text": f"that of {by}'s mail"}
        return {**wanted, "by": to, "to": by} if to in senders and to != by else None

    # -- doing it ------------------------------------------------------------------------------

    def open(self, by: str) -> None:
        self.hand.click("#main .email-sender", self.senders().index(by))
        self.bodies[by] = self.hand.read("() => document.querySelector('#email .email-body').textContent")

    def construct(self, state: State) -> None:
        hand, by = self.hand, state["by"]
        if state["action"] in ("star", "delete", "open"):
            part = {"star": ".star", "delete": ".trash", "open": ".email-sender"}[state["action"]]
            hand.wait_until(_ICONS)
            hand.point_at(f"#main .email-thread {part}", self.senders().index(by))
            return
        text = state["text"]
        if text.startswith("that of "):
            self.open(self.wanted["by"])
            text = self.bodies[self.wanted["by"]]
            hand.wait_until(_ICONS)
            hand.click("#close-email")
        self.open(by)
        hand.wait_until(_ICONS)
        hand.click(f".email-{state['action']}")
        hand.wait_until(_ICONS)
        if state["action"] == "reply":
            if text:
                hand.fill("#reply-text", text)
            return
        if state["to"]:
            hand.fill(".forward-sender", state["to"])
        if text != UNCHANGED:
            hand.fill("#forward-text", text)

    def read(self) -> State:
        found = self.hand.read(_OPEN)
        if found is None:
            return self.hand.read(_IN_LIST, self.hand.at)
        if found["action"] == "forward":
            if found["text"] == self.bodies[found["by"]]:
                found["text"] = UNCHANGED
            else:
                found["text"] = next((f"that of {by}'s mail" for by, body in self.bodies.items() if body == found["text"]), found["text"])
        return found

    def commit(self) -> None:
        found = self.read()
        if found["action"] in ("reply", "forward"):
            self.hand.click(f"#send-{found['action']}")
        else:
            self.hand.press_button()


_REPLYING: tuple[str, ...] = ("near-miss", "wrong-value", "one-missing")
_FORWARDING: tuple[str, ...] = (*_REPLYING, "text-lost", "same-text-of-other-mail")


@recipe("email-inbox", "email-inbox-noscroll")
class AnyMail(Inbox):
    """ "Find the email by Ann and …": reply with a text, forward it, star it or delete it."""

    mutations: ClassVar[tuple[str, ...]] = ("other-target", "wrong-action", "only-opened", *_FORWARDING)


@recipe("email-inbox-delete", "email-inbox-important")
class MarkMail(Inbox):
    """ "Find the email by Ann and click the trash icon to delete it." (or the star icon)."""

    mutations: ClassVar[tuple[str, ...]] = ("other-target", "wrong-action", "only-opened")


@recipe("email-inbox-reply")
class ReplyToMail(Inbox):
    """ "Find the email by Ann and reply to them with the text "Lorem ipsum."."."""

    mutations: ClassVar[tuple[str, ...]] = ("other-target", "wrong-action", *_REPLYING)


@recipe("email-inbox-star-reply")
class StarOrReplyToMail(Inbox):
    """ "Find the email by Ann and …": reply with a text, or star it."""

    mutations: ClassVar[tuple[str, ...]] = ("other-target", "wrong-action", "only-opened", *_REPLYING)


@recipe("email-inbox-forward")
class ForwardMail(Inbox):
    """ "Find the email by Ann and forward that email to Zoe."."""

    mutations: ClassVar[tuple[str, ...]] = ("other-target", "wrong-action", *_FORWARDING)


@recipe("email-inbox-forward-nl", "email-inbox-forward-nl-turk")
class ForwardMailFreely(ForwardMail):
    """Forward one mail, asked for in anybody's words."""

    mutations: ClassVar[tuple[str, ...]] = (*ForwardMail.mutations, "other-order")

    def request(self) -> Request:
        return free_request(self.goal, self.senders())


@recipe("email-inbox-nl-turk")
class AnyMailFreely(Inbox):
    """Reply to, forward, star or delete one mail, asked for in anybody's words; some only want to see it."""

    mutations: ClassVar[tuple[str, ...]] = (*AnyMail.mutations, "other-order")

    def request(self) -> Request:
        return free_request(self.goal, self.senders())
