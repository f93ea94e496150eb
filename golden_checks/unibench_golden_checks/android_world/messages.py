"""Messages sent, and contacts added."""

from __future__ import annotations

import re
from typing import ClassVar

from unibench_golden_checks.android_world.notes import CreateNote
from unibench_golden_checks.android_world.phone import CommandFailed
from unibench_golden_checks.android_world.recipe import Recipe, State, UnexpectedGoal, recipe

_SMS_DATABASE = "/data/data/com.android.providers.telephony/databases/mmssms.db"
_SMS_APP = "com.simplemobiletools.smsmessenger"
_SENT, _RECEIVED = 2, 1


def messages(text: str) -> list[dict[str, str]]:
    """The rows of ``content query --uri content://sms``, the newest first."""
    found = []
    for row in re.split(r"(?m)^Row: \d+ ", text)[1:]:
        fields = dict(re.findall(r"(\w+)=(.*?)(?=, \w+=|$)", row.strip(), re.DOTALL))
        body = re.search(r"body=(.*?), service_center=", row, re.DOTALL)
        found.append({"address": fields["address"], "body": body[1] if body else fields.get("body", ""), "type": fields["type"]})
    return found


class Messages(Recipe):
    """The messages, oldest first, as (kind, number, text), and whether the messenger is in the foreground."""

    mutations: ClassVar[tuple[str, ...]] = ("other-number", "other-text", "half-text", "received-not-sent", "to-another-too")
    note = "the message is a row in the provider's table, not one that was sent; the verifiers read that table"
    opens: ClassVar[bool] = True
    """Upstream wants the messenger in the foreground."""

    def sms(self) -> list[dict[str, str]]:
        said = self.phone.shell("content", "query", "--uri", "content://sms")
        return list(reversed(messages(said)))

    def read(self) -> State:
        listed = [["sent" if sms["type"] == str(_SENT) else "received", sms["address"], sms["body"]] for sms in self.sms()]
        return {"messages": listed, "in messenger": self.phone.foreground() == _SMS_APP}

    def _with(self, number: str, text: str, kind: str = "sent") -> State:
        return {"messages": [*self.before["messages"], [kind, number, text]], "in messenger": self.opens}

    def target(self) -> tuple[str, str]:
        """Number and text by the goal's words."""
        raise NotImplementedError

    def by_words(self) -> State:
        return self._with(*self.target())

    def by_data(self) -> State:
        return self._with(self.task.params["number"], self.task.params["message"])

    def mutant(self, name: str, wanted: State) -> State | None:
        _, number, text = wanted["messages"][-1]
        match name:
            case "other-number":
                return self._with("+15550001111", text)
            case "other-text":
                return self._with(number, "Nothing of the kind.")
            case "half-text":
                return self._with(number, text[: len(text) // 2])
            case "received-not-sent":
                return self._with(number, text, "received")
            case "to-another-too":
                return {**wanted, "messages": [*wanted["messages"], ["sent", "+15550001111", text]]}
        return None

    def construct(self, state: State) -> None:
        for kind, number, text in state["messages"][len(self.before["messages"]) :]:
            self.add(number, text, _SENT if kind == "sent" else _RECEIVED)
        if state["in messenger"]:
            self.phone.open(_SMS_APP)

    def add(self, number: str, text: str, kind: int) -> None:
        """A message as the provider writes it."""
        now = int(self.phone.shell("date", "+%s")) * 1000 + 999  # later than what came in within this second
        row = {
            "thread_id": 1,
            "address": number,
            "date": now,
            "date_sent": now,
            "read": 1,
            "status": -1,
            "type": kind,
            "body": text,
            "seen": 1,
        }
        self.phone.insert(_SMS_DATABASE, "sms", row)

    def contact(self, name: str) -> str:
        """A contact's number."""
        return next(number for known, number in contacts(self) if known == name)

    def received(self) -> list[list[str]]:
        return [message for message in self.before["messages"] if message[0] == "received"]


def contacts(recipe: Recipe) -> list[tuple[str, str]]:
    said = recipe.phone.shell("content", "query", "--uri", "content://contacts/phones/", "--projection", "display_name:number")
    return [(name, re.sub(r"[^\d+]", "", number)) for name, number in re.findall(r"display_name=(.*), number=(.*)", said)]


@recipe("SimpleSmsSend")
class Send(Messages):
    words = True

    def target(self) -> tuple[str, str]:
        found = self.match(r"Send a text message using Simple SMS Messenger to (\S+) with message: (.*)")
        return found[1], found[2]


@recipe("SimpleSmsReply")
class Reply(Messages):
    words = True

    def target(self) -> tuple[str, str]:
        found = self.match(r"Reply to (\S+) with message: (.*) in Simple SMS Messenger")
        return found[1], found[2]


@recipe("SimpleSmsReplyMostRecent")
class ReplyMostRecent(Messages):
    words = True
    mutations: ClassVar[tuple[str, ...]] = (*Messages.mutations, "to-the-oldest")

    def target(self) -> tuple[str, str]:
        text = self.match(r"Reply to the most recent text message using Simple SMS Messenger with message: (.*)")[1]
        return self.received()[-1][1], text

    def mutant(self, name: str, wanted: State) -> State | None:
        if name == "to-the-oldest":
            oldest, newest = self.received()[0][1], wanted["messages"][-1][1]
            return self._with(oldest, wanted["messages"][-1][2]) if oldest != newest else None
        return super().mutant(name, wanted)


@recipe("SimpleSmsSendClipboardContent")
class SendClipboard(Messages):
    words = True

    def prepare(self) -> None:
        from android_world.env import adb_utils

        super().prepare()
        self.clipboard = adb_utils.get_clipboard_contents(self.handle.env.controller)
        self.before = self.read()

    def target(self) -> tuple[str, str]:
        return self.match(r"Send a message to (\S+) with the clipboard content in Simple SMS Messenger")[1], self.clipboard


@recipe("SimpleSmsSendReceivedAddress")
class SendAddress(Messages):
    words = True
    mutations: ClassVar[tuple[str, ...]] = (*Messages.mutations, "back-to-its-sender")

    def target(self) -> tuple[str, str]:
        found = self.match(r"Text the address of the event to (.+) that (.+) just sent me in Simple SMS Messenger")
        sender = self.contact(found[2])
        return self.contact(found[1]), next(text for _, number, text in reversed(self.received()) if number == sender)

    def mutant(self, name: str, wanted: State) -> State | None:
        if name == "back-to-its-sender":
            return self._with(self.received()[-1][1], wanted["messages"][-1][2])
        return super().mutant(name, wanted)


@recipe("SimpleSmsResend")
class Resend(Messages):
    words = True
    opens = False

    def read(self) -> State:
        return {**super().read(), "in messenger": False}

    def target(self) -> tuple[str, str]:
        number = self.contact(self.match(r"Resend the message I just sent to (.+) in Simple SMS Messenger")[1])
        return number, next(text for kind, to, text in reversed(self.before["messages"]) if kind == "sent" and to == number)


@recipe("MarkorCreateNoteAndSms")
class NoteAndSms(Messages):
    """Two states side by side: the notes and the messages."""

    words = True
    mutations: ClassVar[tuple[str, ...]] = ("first-half", "second-half")
    _form = (
        r"Create a new note in Markor named (\S+) with the following text: (.*)\. Share the entire content of the note with "
        r"the phone number (\S+) via SMS using Simple SMS Messenger"
    )

    def read(self) -> State:
        return {"notes": self.phone.tree(CreateNote.folder), **super().read()}

    def _both(self, file: str, text: str, number: str) -> State:
        return {"notes": {**self.before["notes"], file: text}, **self._with(number, text)}

    def by_words(self) -> State:
        return self._both(*self.match(self._form).groups())

    def by_data(self) -> State:
        drawn = self.task.params
        return self._both(drawn["file_name"], drawn["text"], drawn["number"])

    def mutant(self, name: str, wanted: State) -> State | None:
        return {**wanted, "messages": self.before["messages"]} if name == "first-half" else {**wanted, "notes": self.before["notes"]}

    def construct(self, state: State) -> None:
        self.phone.make(CreateNote.folder, state["notes"], self.before["notes"])
        super().construct(state)


@recipe("AddContact")
class AddContact(Recipe):
    """Contacts as (name, number), made by the contacts provider."""

    words = True
    mutations: ClassVar[tuple[str, ...]] = ("other-name", "other-number")
    note = "made by 'content insert', which needs root on a real phone"

    def read(self) -> State:
        return sorted([name, number] for name, number in contacts(self))

    def by_words(self) -> State:
        found = re.search(
            r"name is (?P<name>.+) and (?:their )?(?:the )?number is (?P<number>\S+)|for (?P<n2>.+)\. Their number is (?P<m2>\S+)\.",
            self.goal,
        )
        if found is None:
            raise UnexpectedGoal(f"the goal {self.goal!r} names no contact")
        name, number = found["name"] or found["n2"], found["number"] or found["m2"]
        return sorted([*self.before, [name, re.sub(r"[^\d+]", "", number)]])

    def by_data(self) -> State:
        return sorted([*self.before, [self.task.params["name"], re.sub(r"[^\d+]", "", self.task.params["number"])]])

    def mutant(self, name: str, wanted: State) -> State | None:
        (new,) = (contact for contact in wanted if contact not in self.before)
        match name:
            case "other-name":
                return sorted([*self.before, ["Nobody Inparticular", new[1]]])
            case "other-number":
                return sorted([*self.before, [new[0], "+15550001111"]])
        return None

    def construct(self, state: State) -> None:
        for name, number in state:
            if [name, number] not in self.before:
                self._add(name, number)

    def _add(self, name: str, number: str) -> None:
        uri = "content://com.android.contacts"
        self.phone.shell("content", "insert", "--uri", f"{uri}/raw_contacts", "--bind", "account_type:n:", "--bind", "account_name:n:")
        said = self.phone.shell("content", "query", "--uri", f"{uri}/raw_contacts", "--projection", "_id")
        ids = [int(number) for number in re.findall(r"_id=(\d+)", said)]
        if not ids:
            raise CommandFailed("the contacts provider shows no new contact")
        for kind, value in (("name", name), ("phone_v2", number)):
            bind = (
                "--bind",
                f"raw_contact_id:i:{max(ids)}",
                "--bind",
                f"mimetype:s:vnd.android.cursor.item/{kind}",
                "--bind",
                f"data1:s:{value}",
            )
            self.phone.shell("content", "insert", "--uri", f"{uri}/data", *bind)
