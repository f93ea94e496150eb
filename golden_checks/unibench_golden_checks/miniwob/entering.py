"""Recipes for entering a given text, password, date or time."""

from __future__ import annotations

import datetime
from typing import ClassVar

from unibench_golden_checks.miniwob.fields import NamedFields, OneField, misspelt
from unibench_golden_checks.miniwob.hand import HandError
from unibench_golden_checks.miniwob.recipe import State, quoted, recipe


@recipe("enter-text", "enter-text-dynamic")
class EnterText(OneField):
    """ "Enter "Myron" into the text field and press Submit."; the state is what the field holds."""

    def want(self) -> State:
        return quoted(self.goal)


@recipe("enter-text-2")
class EnterTextInCase(OneField):
    """ "Type "myron" in all upper case letters in the text input and press Submit."; the state is what the field holds."""

    mutations: ClassVar[tuple[str, ...]] = ("as-quoted", "capitalised", "letter-missing", "letter-added")

    def want(self) -> State:
        upper = self.match(r"in all (upper|lower) case letters").group(1) == "upper"
        return quoted(self.goal).upper() if upper else quoted(self.goal).lower()

    def mutant(self, name: str) -> State | None:
        if name == "as-quoted":
            return quoted(self.goal)
        if name == "capitalised":
            return quoted(self.goal).capitalize()
        return super().mutant(name)


@recipe("text-transform")
class TypeSkewedText(OneField):
    """ "Type the text below into the text field and press Submit."; below are skewed letters, the state is what the field holds."""

    def want(self) -> State:
        return "".join(self.hand.texts("#captcha span"))


@recipe("enter-password")
class EnterPassword(NamedFields):
    """ "Enter the password "Q1" into both text fields and press submit."; the state is what both fields hold."""

    mutations: ClassVar[tuple[str, ...]] = ("first-missing", "second-missing", "second-wrong", "both-wrong", "wrong-case")

    def boxes(self) -> dict[str, int]:
        return {label: nth for nth, label in enumerate(self.hand.texts("#form label"))}

    def want(self) -> State:
        return dict.fromkeys(self.boxes(), quoted(self.goal))

    def mutant(self, name: str) -> State | None:
        first, second = self.boxes()
        password = quoted(self.goal)
        longer, other_case = misspelt("letter-added", password), misspelt("wrong-case", password)
        return {
            "first-missing": self.changed(**{first: ""}),
            "second-missing": self.changed(**{second: ""}),
            "second-wrong": self.changed(**{second: longer}),
            "both-wrong": self.changed(**{first: longer, second: longer}),
            "wrong-case": self.changed(**{first: other_case, second: other_case}),
        }[name]


@recipe("login-user")
class LogIn(NamedFields):
    """ "Enter the username "juan" and the password "Jc" into the text fields and press login."; the state is what the fields hold."""

    mutations: ClassVar[tuple[str, ...]] = (
        "username-missing",
        "password-missing",
        "wrong-place",
        "username-wrong",
        "password-wrong",
        "wrong-case",
    )

    def boxes(self) -> dict[str, int]:
        return {label: nth for nth, label in enumerate(self.hand.texts("#form label"))}

    def want(self) -> State:
        user, password = self.match(r'username "(.*)" and the password "(.*)" into').groups()
        return {"Username": user, "Password": password}

    def mutant(self, name: str) -> State | None:
        user, password = self.wanted["Username"], self.wanted["Password"]
        return {
            "username-missing": self.changed(Username=""),
            "password-missing": self.changed(Password=""),
            "wrong-place": self.changed(Username=password, Password=user),
            "username-wrong": self.changed(Username=misspelt("letter-missing", user)),
            "password-wrong": self.changed(Password=misspelt("letters-swapped", password)),
            "wrong-case": self.changed(Password=misspelt("wrong-case", password)),
        }[name]


@recipe("login-user-popup")
class LogInDespitePopup(LogIn):
    """The same, but in half of the episodes a popup asks, as a field is entered, "Exit to home page?".

    It disables the form until it is answered. The state is what the fields hold, and whether the popup is open.
    """

    mutations: ClassVar[tuple[str, ...]] = (*LogIn.mutations, "exits")

    def want(self) -> State:
        return {**super().want(), "popup": False}

    def mutant(self, name: str) -> State | None:
        if name != "exits":
            return super().mutant(name)
        # Only entering the fields shows whether this episode has a popup.
        for nth in self.boxes().values():
            self.hand.click("#area input", nth)
            if self.hand.count("#popup"):
                return {**dict.fromkeys(self.boxes(), ""), "popup": True}
        return None

    def construct(self, state: State) -> None:
        if state["popup"]:
            return
        for name, nth in self.boxes().items():
            if not state[name]:
                continue
            self.hand.click("#area input", nth)
            if self.hand.count("#popup"):
                self.hand.click("#popup button", text="Cancel")
                self.hand.click("#area input", nth)
            self.hand.type(state[name])

    def read(self) -> State:
        return {**super().read(), "popup": self.hand.count("#popup") > 0}

    def commit(self) -> None:
        if self.hand.count("#popup"):
            self.hand.click("#popup button", text="OK")
        else:
            super().commit()


@recipe("enter-date")
class EnterDate(OneField):
    """ "Enter 02/04/2012 as the date and hit submit."; the state is the date in a date field, MM/DD/YYYY."""

    mutations: ClassVar[tuple[str, ...]] = ("other-order", "other-month", "other-day", "other-year")

    def want(self) -> State:
        return self.match(r"\d\d/\d\d/\d{4}").group(0)

    def mutant(self, name: str) -> State | None:
        month, day, year = map(int, self.wanted.split("/"))
        parts = {
            "other-order": (day, month, year),
            "other-month": (month % 12 + 1, day, year),
            "other-day": (month, day - 1 if day > 1 else 2, year),
            "other-year": (month, day, year + 1),
        }[name]
        try:
            state = datetime.date(parts[2], parts[0], parts[1]).strftime("%m/%d/%Y")
        except ValueError:
            return None
        return None if state == self.wanted else state

    def construct(self, state: State) -> None:
        # A click on the first part of the field puts the caret there; full parts move it on by themselves.
        box = self.hand.rect(self.box)
        self.hand.click_at(box.x + 12, box.center[1])
        self.hand.type(state.replace("/", ""))

    def read(self) -> State:
        year, _, rest = self.hand.value(self.box).partition("-")
        return f"{rest.replace('-', '/')}/{year}" if rest else ""


@recipe("enter-time")
class EnterTime(OneField):
    """ "Enter 8:05 AM as the time and press submit."; the state is the time in a time field, HH:MM AM or PM."""

    mutations: ClassVar[tuple[str, ...]] = ("other-half", "other-hour", "other-minute", "other-order")

    def want(self) -> State:
        hour, minute, half = self.match(r"(\d+):(\d\d)\s*([AP]M)").groups()
        return f"{int(hour):02d}:{minute} {half}"

    def mutant(self, name: str) -> State | None:
        clock, half = self.wanted.split(" ")
        hour, minute = map(int, clock.split(":"))
        if name == "other-half":
            return f"{clock} {'PM' if half == 'AM' else 'AM'}"
        if name == "other-hour":
            return f"{hour % 12 + 1:02d}:{minute:02d} {half}"
        if name == "other-minute":
            return f"{hour:02d}:{(minute + 1) % 60:02d} {half}"
        return f"{minute:02d}:{hour:02d} {half}" if 1 <= minute <= 12 and minute != hour else None

    def construct(self, state: State) -> None:
        box = self.hand.rect(self.box)
        self.hand.click_at(box.x + 12, box.center[1])
        self.hand.type(state.replace(":", "").replace(" ", "")[:5])

    def read(self) -> State:
        value = self.hand.value(self.box)
        if not value:
            return ""
        if len(value) != 5:
            raise HandError(f"the time field holds {value!r}")
        hour = int(value[:2])
        return f"{(hour - 1) % 12 + 1:02d}:{value[3:]} {'PM' if hour >= 12 else 'AM'}"
