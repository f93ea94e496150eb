"""Rows added to and deleted from the apps' databases: expenses, recipes, calendar events."""

from __future__ import annotations

import dataclasses
import re
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, ClassVar

from unibench_golden_checks.android_world.phone import Phone, literal
from unibench_golden_checks.android_world.recipe import Recipe, State, UnexpectedGoal, recipe

_LIST = "/storage/emulated/0/Documents/Markor/recipes.txt"
Row = dict[str, str | None]
"""A row's values as SQL writes them."""


class Rows(Recipe):
    """The rows of the task's table, without the key that the database gives, sorted.

    The table, the key and the columns are those of upstream's task class.
    """

    @property
    def columns(self) -> list[str]:
        return [field.name for field in dataclasses.fields(self.task.row_type)]

    def prepare(self) -> None:
        self.keyed = self._keyed()
        self.before = self.read()

    def _keyed(self) -> list[Row]:
        return self.phone.rows(self.task.db_path, self.task.table_name, self.columns)

    def plain(self, row: Row) -> Row:
        """A row without its key."""
        return {name: value for name, value in row.items() if name != self.task.db_key}

    def row(self, drawn: Any) -> Row:
        """A drawn row dataclass as a row without its key."""
        return {name: literal(getattr(drawn, name)) for name in self.columns if name != self.task.db_key}

    def read(self) -> State:
        return sorted((self.plain(row) for row in self._keyed()), key=str)

    def construct(self, state: State) -> None:
        """Deletes the rows that are not in the state, one for one, and adds those that are missing."""
        from android_world.env import adb_utils

        self.phone.stop(adb_utils.extract_package_name(adb_utils.get_adb_activity(self.task.app_name_with_db)))
        missing = list(state)
        gone = []
        for row in self._keyed():
            if self.plain(row) in missing:
                missing.remove(self.plain(row))
            else:
                gone.append(str(row[self.task.db_key]))
        if gone:
            self.phone.sql(self.task.db_path, f"DELETE FROM {self.task.table_name} WHERE {self.task.db_key} IN ({','.join(gone)})")
        for row in missing:
            names, values = ",".join(row), ",".join(str(value) for value in row.values())
            self.phone.sql(self.task.db_path, f"INSERT INTO {self.task.table_name}({names}) VALUES({values})")

    def with_rows(self, *rows: Row) -> State:
        return sorted([*self.before, *rows], key=str)

    def without(self, *rows: Row) -> State:
        left = list(self.before)
        for row in rows:
            left.remove(row)
        return left


# -- added -----------------------------------------------------------------------------------------


@recipe("AddMultipleRows")
class AddRows(Rows):
    """``text`` and ``number`` name a column that the instruction gives a value for; a mutant gives it another."""

    mutations: ClassVar[tuple[str, ...]] = ("one-missing", "one-too-many", "wrong-text", "wrong-number", "other-row-lost")
    text: ClassVar[str] = ""
    number: ClassVar[str] = ""

    def added(self) -> list[Row]:
        return [self.row(drawn) for drawn in self.task.params["row_objects"]]

    def by_data(self) -> State:
        return self.with_rows(*self.added())

    def mutant(self, name: str, wanted: State) -> State | None:
        added = self._new(wanted)
        first, rest = added[0], added[1:]
        match name:
            case "one-missing":
                return self.with_rows(*rest) if rest else None
            case "one-too-many":
                return self.with_rows(*added, first)
            case "wrong-text" if self.text:
                return self.with_rows({**first, self.text: literal("Nothing of the kind")}, *rest)
            case "wrong-number" if self.number:
                return self.with_rows({**first, self.number: str(int(str(first[self.number])) + 60)}, *rest)
            case "other-row-lost":
                return sorted([*self.before[1:], *added], key=str) if self.before else None
        return None

    def _new(self, wanted: State) -> list[Row]:
        left = list(wanted)
        for row in self.before:
            left.remove(row)
        return left


@recipe("_ExpenseAddMultiple")
class AddExpenses(AddRows):
    text, number = "name", "amount"


@recipe("ExpenseAddSingle", "ExpenseAddMultiple")
class AddExpensesByWords(AddExpenses):
    """The goal lists them as CSV or as blocks of text; the dates are the app's own, so those drawn are taken."""

    words = True
    note = "the goal gives no dates: also the state made from its words has those drawn"

    def by_words(self) -> State:
        listed = self.match(r"Add the following expenses into the pro expense:\n(.*)")[1]
        dates = [(literal(drawn.created_date), literal(drawn.modified_date)) for drawn in self.task.params["row_objects"]]
        rows: list[Row] = []
        for (name, amount, category, note), (created, modified) in zip(_listed(listed, 4), dates, strict=True):
            cents = round(float(amount.removeprefix("$").replace(",", "")) * 100)
            made = {"name": literal(name), "amount": str(cents), "category": str(_category(category)), "note": literal(note)}
            rows.append(
                {
                    name: {**made, "created_date": created, "modified_date": modified}[name]
                    for name in self.columns
                    if name != self.task.db_key
                }
            )
        return self.with_rows(*rows)


def _category(name: str) -> int:
    from android_world.task_evals.utils import sqlite_schema_utils

    return next(int(number) for number, known in sqlite_schema_utils.Expense.category_id_to_name.items() if known == name)


def _listed(text: str, fields: int) -> list[list[str]]:
    """The rows of upstream's text of rows: CSV with ``|`` and a heading, or blocks of ``label: value`` lines.

    Raises:
        UnexpectedGoal: it is neither.
    """
    if "|" in text.splitlines()[0]:
        rows = [line.split("|") for line in text.splitlines()[1:]]
    else:
        blocks = [block for block in re.split(r"\n\s*\n", text.strip()) if block.strip()]
        rows = [[line.split(": ", 1)[1].strip() for line in block.splitlines() if ": " in line] for block in blocks]
    if any(len(row) != fields for row in rows):
        raise UnexpectedGoal(f"the goal's list does not have {fields} fields a row: {text[:200]!r}")
    return rows


@recipe("_RecipeAddMultipleRecipes")
class AddRecipes(AddRows):
    text: ClassVar[str] = "title"

    def mutant(self, name: str, wanted: State) -> State | None:
        if name == "wrong-number":
            added = self._new(wanted)
            other = literal("8 servings" if added[0]["servings"] in ("'2 servings'", "'6 servings'") else "2 servings")
            return self.with_rows({**added[0], "servings": other}, *added[1:])
        return super().mutant(name, wanted)


class AddRecipesByWords(AddRecipes):
    """Recipes that are listed somewhere, with the six fields that the app asks for."""

    words = True
    fields: ClassVar[tuple[str, ...]] = ("title", "description", "servings", "preparationTime", "ingredients", "directions")

    def listed(self) -> str:
        """The text that lists them."""
        return self.match(r"Add the following recipes into the Broccoli app:\n(.*)")[1]

    def by_words(self) -> State:
        rows = []
        for values in _listed(self.listed(), len(self.fields)):
            said = dict(zip(self.fields, values, strict=True))
            if self.meant(said):
                rows.append({**self._empty(), **{name: literal(value) for name, value in said.items()}})
        return self.with_rows(*rows)

    def meant(self, said: dict[str, str]) -> bool:
        """Whether the goal's words mean this one of the listed ones."""
        return True

    def _empty(self) -> Row:
        """What the app writes for what it was not told."""
        return {name: "0" if name == "favorite" else "''" for name in self.columns if name != self.task.db_key}


@recipe("RecipeAddSingleRecipe", "RecipeAddMultipleRecipes")
class AddListedRecipes(AddRecipesByWords):
    pass


@recipe("RecipeAddMultipleRecipesFromMarkor")
class AddRecipesFromMarkor(AddRecipesByWords):
    def listed(self) -> str:
        self.match(r"Add the recipes from recipes\.txt in Markor to the Broccoli recipe app\.")
        return self.phone.shell("cat", _LIST)


@recipe("RecipeAddMultipleRecipesFromMarkor2")
class AddSomeRecipesFromMarkor(AddRecipesByWords):
    _form = r"Add the recipes from recipes\.txt in Markor that take (.+) to prepare into the Broccoli recipe app\."

    def listed(self) -> str:
        return self.phone.shell("cat", _LIST)

    def meant(self, said: dict[str, str]) -> bool:
        return said["preparationTime"] == self.match(self._form)[1]


def today(phone: Phone) -> datetime:
    """The phone's date, at midnight."""
    now = datetime.fromtimestamp(int(phone.shell("date", "+%s")), UTC)
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def this(weekday: str, phone: Phone) -> datetime:
    """The next such weekday after the phone's date, at midnight."""
    days = (today(phone) + timedelta(days=number) for number in range(1, 8))
    return next(day for day in days if day.strftime("%A") == weekday)


@recipe("SimpleCalendarAddOneEvent")
class AddEvent(AddRows):
    """The goal gives day, hour, title, description and duration; what the app fills in by itself is taken as drawn."""

    words = True
    note = "what the goal does not give (reminders, colour, time zone …) is as drawn also in the state made from its words"
    text, number = "title", "start_ts"
    form: ClassVar[str] = (
        r"In Simple Calendar Pro, create a calendar event on (?P<year>\d+)-(?P<month>\d+)-(?P<day>\d+) at (?P<hour>\d+)h with the title "
        r"'(?P<title>.*)' and the description '(?P<description>.*)'\. The event should last for (?P<minutes>\d+) mins\."
    )

    def start(self, said: dict[str, str]) -> datetime:
        """When the event begins, by the goal's words."""
        return datetime(int(said["year"]), int(said["month"]), int(said["day"]), int(said["hour"]), tzinfo=UTC)

    def by_words(self) -> State:
        said = self.match(self.form).groupdict()
        start = int(self.start(said).timestamp())
        made = {
            "start_ts": str(start),
            "end_ts": str(start + 60 * int(said["minutes"])),
            "title": literal(said["title"]),
            "description": literal(said["description"]),
            **self.repeats(said, start),
        }
        return self.with_rows({**self.added()[0], **made})

    def repeats(self, said: dict[str, str], start: int) -> Row:
        return {}


@recipe("SimpleCalendarAddOneEventRelativeDay")
class AddEventThisWeek(AddEvent):
    form = (
        r"In Simple Calendar Pro, create a calendar event for this (?P<weekday>\w+) at (?P<hour>\d+)h with the title "
        r"'(?P<title>.*)' and the description '(?P<description>.*)'\. The event should last for (?P<minutes>\d+) mins\."
    )

    def start(self, said: dict[str, str]) -> datetime:
        return this(said["weekday"], self.phone) + timedelta(hours=int(said["hour"]))


@recipe("SimpleCalendarAddOneEventTomorrow")
class AddEventTomorrow(AddEvent):
    form = AddEventThisWeek.form.replace(r"for this (?P<weekday>\w+)", "for tomorrow")

    def start(self, said: dict[str, str]) -> datetime:
        return today(self.phone) + timedelta(days=1, hours=int(said["hour"]))


@recipe("SimpleCalendarAddOneEventInTwoWeeks")
class AddEventInTwoWeeks(AddEvent):
    form = AddEventThisWeek.form.replace(r"for this (?P<weekday>\w+)", "in two weeks from today")

    def start(self, said: dict[str, str]) -> datetime:
        return today(self.phone) + timedelta(days=14, hours=int(said["hour"]))


@recipe("SimpleCalendarAddRepeatingEvent")
class AddRepeatingEvent(AddEvent):
    mutations: ClassVar[tuple[str, ...]] = (*AddEvent.mutations, "does-not-repeat")
    form = (
        r"In Simple Calendar Pro, create a recurring calendar event titled '(?P<title>.*)' starting on "
        r"(?P<year>\d+)-(?P<month>\d+)-(?P<day>\d+) "
        r"at (?P<hour>\d+)h\. The event recurs (?P<rule>daily|weekly), forever, and lasts for "
        r"(?P<minutes>\d+) minutes each occurrence\. The event description should be '(?P<description>.*)'\."
    )

    def repeats(self, said: dict[str, str], start: int) -> Row:
        """Simple Calendar writes seconds between two, and for a week the weekday as one bit, Monday the lowest."""
        if said["rule"] == "daily":
            return {"repeat_interval": "86400", "repeat_rule": "0"}
        return {"repeat_interval": "604800", "repeat_rule": str(1 << datetime.fromtimestamp(start, UTC).weekday())}

    def mutant(self, name: str, wanted: State) -> State | None:
        if name == "does-not-repeat":
            return self.with_rows({**self._new(wanted)[0], "repeat_interval": "0", "repeat_rule": "0"})
        return super().mutant(name, wanted)


# -- deleted ---------------------------------------------------------------------------------------


@recipe("DeleteMultipleRows")
class DeleteRows(Rows):
    mutations: ClassVar[tuple[str, ...]] = ("one-left", "one-too-many", "other-row", "all-deleted")

    def deleted(self) -> list[Row]:
        return [self.row(drawn) for drawn in self.task.rows_to_delete]

    def by_data(self) -> State:
        return self.without(*self.deleted())

    def mutant(self, name: str, wanted: State) -> State | None:
        gone = list(self.before)
        for row in wanted:
            gone.remove(row)
        others = [row for row in wanted if row not in gone]
        match name:
            case "one-left":
                return self.without(*gone[1:]) if len(gone) > 1 else None
            case "one-too-many":
                return self.without(*gone, others[0]) if others else None
            case "other-row":
                return self.without(others[0], *gone[1:]) if others else None
            case "all-deleted":
                return [] if others else None
        return None


class DeleteNamed(DeleteRows):
    """The goal lists what is to go, by a column that names it."""

    words = True
    form: ClassVar[str] = ""
    column: ClassVar[str] = ""

    def by_words(self) -> State:
        listed = self.match(self.form)[1]
        left = []
        for row in self.before:
            name = str(row[self.column])[1:-1].replace("''", "'")
            if not re.search(rf"(?:^|, ){re.escape(name)}(?:, |$)", listed):
                left.append(row)
        return left


@recipe("_ExpenseDeleteMultiple")
class DeleteExpenses(DeleteNamed):
    form, column = r"Delete the following expenses from pro expense: (.*)\.", "name"


@recipe("_RecipeDeleteMultipleRecipes")
class DeleteRecipes(DeleteNamed):
    form, column = r"Delete the following recipes from Broccoli app: (.*)\.", "title"


@recipe("RecipeDeleteMultipleRecipesWithConstraint")
class DeleteRecipesThatUse(DeleteRows):
    words = True

    def by_words(self) -> State:
        used = self.match(r"Delete the recipes from Broccoli app that use (.*) in the directions\.")[1]
        return [row for row in self.before if used.lower() not in str(row["directions"]).lower()]


@recipe("SimpleCalendarDeleteEvents")
class DeleteEventsOnDay(DeleteRows):
    words = True
    form: ClassVar[str] = r"In Simple Calendar Pro, delete all the calendar events on (\d+)-(\d+)-(\d+)"

    def goes(self, row: Row, start: datetime) -> bool:
        """Whether the goal's words mean this event."""
        year, month, day = map(int, self.match(self.form).groups())
        return (start.year, start.month, start.day) == (year, month, day)

    def by_words(self) -> State:
        return [row for row in self.before if not self.goes(row, datetime.fromtimestamp(int(str(row["start_ts"])), UTC))]


@recipe("SimpleCalendarDeleteOneEvent")
class DeleteEvent(DeleteEventsOnDay):
    form = r"In Simple Calendar Pro, delete the calendar event on (\d+)-(\d+)-(\d+) at (\d+)h with the title '(.*)'"

    def goes(self, row: Row, start: datetime) -> bool:
        *when, title = self.match(self.form).groups()
        return [start.year, start.month, start.day, start.hour] == list(map(int, when)) and row["title"] == literal(title)


@recipe("SimpleCalendarDeleteEventsOnRelativeDay")
class DeleteEventsThisWeekday(DeleteEventsOnDay):
    form = r"In Simple Calendar Pro, delete all events scheduled for this (\w+)\."

    @cached_property
    def day(self) -> datetime:
        return this(self.match(self.form)[1], self.phone)

    def goes(self, row: Row, start: datetime) -> bool:
        return self.day <= start < self.day + timedelta(days=1)


@recipe("DeleteDuplicateRows")
class DeleteDuplicates(Rows):
    words = True
    mutations: ClassVar[tuple[str, ...]] = ("both-deleted", "other-row", "all-deleted")

    def by_data(self) -> State:
        return self.without(self.row(self.task.rows_to_delete[0]))

    def by_words(self) -> State:
        left: list[Row] = []
        for row in self.before:
            if row not in left:
                left.append(row)
        return left

    def mutant(self, name: str, wanted: State) -> State | None:
        twice = next(row for row in self.before if self.before.count(row) > 1)
        others = [row for row in self.before if row != twice]
        match name:
            case "both-deleted":
                return others
            case "other-row":
                return self.without(others[0])
            case "all-deleted":
                return []
        return None
