"""Markor's notes and folders."""

from __future__ import annotations

from typing import ClassVar

from unibench_golden_checks.android_world.files import STORAGE, Deleted, Folder, Moved
from unibench_golden_checks.android_world.recipe import State, recipe

MARKOR = f"{STORAGE}/Documents/Markor"


class Notes(Folder):
    """What is below Markor's folder."""

    folder = MARKOR


# -- created -------------------------------------------------------------------------------


class OneFile(Notes):
    """A new file with a text; ``said`` and ``drawn`` give both."""

    mutations: ClassVar[tuple[str, ...]] = ("other-name", "other-text", "half-text", "empty")

    def said(self) -> tuple[str, str]:
        """Name and text by the goal's words."""
        raise NotImplementedError

    def drawn(self) -> tuple[str, str]:
        """Name and text by the verifier's parameters."""
        made = self.task.create_file_task
        return made.params["file_name"], made.params["text"]

    def by_words(self) -> State:
        return self.with_files(**dict([self.said()]))

    def by_data(self) -> State:
        return self.with_files(**dict([self.drawn()]))

    def mutant(self, name: str, wanted: State) -> State | None:
        file, text = self.said() if self.words else self.drawn()
        match name:
            case "other-name":
                return self.with_files(**{f"not_{file}": text})
            case "other-text":
                return self.with_files(**{file: "Nothing of the kind."})
            case "half-text":
                return self.with_files(**{file: text[: len(text) // 2]})
            case "empty":
                return self.with_files(**{file: ""})
        return None


@recipe("MarkorCreateNote")
class CreateNote(OneFile):
    words = True

    def said(self) -> tuple[str, str]:
        found = self.match(r"Create a new note in Markor named (\S+) with the following text: (.*)")
        return found[1], found[2]


@recipe("MarkorCreateNoteFromClipboard")
class CreateNoteFromClipboard(OneFile):
    words = True

    def prepare(self) -> None:
        from android_world.env import adb_utils

        super().prepare()
        self.clipboard = adb_utils.get_clipboard_contents(self.handle.env.controller)

    def said(self) -> tuple[str, str]:
        found = self.match(r"Create a note in Markor named (\S+)\. Perform a paste operation in the note and save the note\.")
        return found[1], self.clipboard


@recipe("MarkorMergeNotes")
class MergeNotes(OneFile):
    """The notes end with a newline already, which an editor shows; one more makes the blank line that is asked for.

    Whether the notes that were merged may go, the instruction leaves open.
    """

    words = True
    mutations: ClassVar[tuple[str, ...]] = (*OneFile.mutations, "other-order", "no-blank-lines")

    def said(self) -> tuple[str, str]:
        found = self.match(
            r"Merge the contents of Markor notes (\S+), (\S+) and (\S+) \(in the same order\) into a new Markor note named (\S+) "
            r"and save it\. Add a new line between the content of each note\."
        )
        self.merged = found.groups()[:3]
        return found[4], "\n".join(str(self.before[name]) for name in self.merged)

    def mutant(self, name: str, wanted: State) -> State | None:
        file, _ = self.said()
        texts = [str(self.before[source]) for source in self.merged]
        match name:
            case "other-order":
                return self.with_files(**{file: "\n".join(reversed(texts))})
            case "no-blank-lines":
                return self.with_files(**{file: "".join(texts)})
        return super().mutant(name, wanted)


@recipe("MarkorTranscribeReceipt", "MarkorTranscribeVideo")
class Transcribe(OneFile):
    note = "what the picture or the video shows is not read: the text is the verifier's"


@recipe("MarkorCreateFolder")
class CreateFolder(Notes):
    words = True
    mutations: ClassVar[tuple[str, ...]] = ("other-name", "note-of-that-name", "notes-deleted")

    def by_words(self) -> State:
        return self.with_files(**{self.match(r"Create a new folder in Markor named (\S+)\.")[1]: None})

    def by_data(self) -> State:
        return self.with_files(**{self.task.params["folder_name"]: None})

    def mutant(self, name: str, wanted: State) -> State | None:
        (folder,) = (path for path in wanted if path not in self.before)
        match name:
            case "other-name":
                return self.with_files(**{f"not_{folder}": None})
            case "note-of-that-name":
                return self.with_files(**{folder: "x"})
            case "notes-deleted" if self.before:
                return {folder: None}
        return None


# -- changed -------------------------------------------------------------------------------


@recipe("MarkorEditNote")
class EditNote(Notes):
    words = True
    mutations: ClassVar[tuple[str, ...]] = ("unchanged-but-saved", "other-end", "text-lost", "other-note", "other-notes-deleted")

    def _plan(self) -> tuple[str, str, str]:
        found = self.match(r"Edit (\S+) in Markor\. (Add to the top of the note|Add to the bottom of the note|Replace the text with) (.*)")
        return found[1], found[2], found[3]

    def by_words(self) -> State:
        file, how, text = self._plan()
        old = str(self.before[file])
        return self.with_files(
            **{file: {"Add to the top of the note": f"{text}\n{old}", "Replace the text with": text}.get(how, f"{old}{text}")}
        )

    def by_data(self) -> State:
        drawn, old = self.task.params, self.task.original_content
        new = {
            "header": lambda: f"{drawn['header']}\n{old}",
            "footer": lambda: f"{old}\n{drawn['footer']}",
            "replace": lambda: str(drawn["replace_text"]),
        }[drawn["edit_type"]]()
        return self.with_files(**{drawn["file_name"]: new})

    def mutant(self, name: str, wanted: State) -> State | None:
        file, how, text = self._plan()
        old = str(self.before[file])
        match name:
            case "unchanged-but-saved":
                return self.with_files(**{file: f"{old}\n"})
            case "other-end" if not how.startswith("Replace"):
                return self.with_files(**{file: f"{old}{text}" if how.endswith("top of the note") else f"{text}\n{old}"})
            case "text-lost":
                return self.with_files(**{file: "" if how.startswith("Replace") else text})
            case "other-note":
                return self.with_files(**{others[0]: wanted[file]}) if (others := self.others(file)) else None
            case "other-notes-deleted":
                return {file: wanted[file]} if self.others(file) else None
        return None


class Renamed(Notes):
    """A note changed and renamed."""

    words = True
    mutations: ClassVar[tuple[str, ...]] = ("not-renamed", "old-one-kept", "text-not-changed", "other-notes-deleted")

    def plan(self) -> tuple[str, str, str]:
        """Old name, new name, new text."""
        raise NotImplementedError

    def by_words(self) -> State:
        old, new, text = self.plan()
        return {**self.without(old), new: text}

    def mutant(self, name: str, wanted: State) -> State | None:
        old, new, text = self.plan()
        match name:
            case "not-renamed":
                return self.with_files(**{old: text})
            case "old-one-kept":
                return self.with_files(**{new: text})
            case "text-not-changed":
                return {**self.without(old), new: self.before[old]}
            case "other-notes-deleted":
                return {new: text} if self.others(old) else None
        return None


@recipe("MarkorChangeNoteContent")
class ChangeNote(Renamed):
    def plan(self) -> tuple[str, str, str]:
        found = self.match(r'Update the content of (\S+) to "(.*)" in Markor and change its name to (\S+)\.')
        return found[1], found[3], found[2]

    def by_data(self) -> State:
        drawn = self.task.params
        return {**self.without(drawn["original_name"]), drawn["new_name"]: drawn["updated_content"]}


@recipe("MarkorAddNoteHeader")
class AddHeader(Renamed):
    def plan(self) -> tuple[str, str, str]:
        found = self.match(
            r"Update the Markor note (\S+) by adding the following text, along with a new blank line before the existing content: "
            r'"(.*)", and rename it to (\S+)\.'
        )
        return found[1], found[3], f"{found[2]}\n\n{self.before[found[1]]}"

    def by_data(self) -> State:
        drawn = self.task.params
        text = f"{drawn['header']}\n\n{drawn['original_content']}\n"
        return {**self.without(drawn["original_name"]), drawn["new_name"]: text}


# -- moved and deleted -----------------------------------------------------------------------------


@recipe("MarkorMoveNote")
class MoveNote(Moved):
    folder = MARKOR
    form = r"In Markor, move the note (?P<file>\S+) from (?P<source>\S+) to (?P<target>\S+)\."


@recipe("MarkorDeleteNote")
class DeleteNote(Deleted):
    folder = MARKOR
    form = r"Delete the note in Markor named (?P<file>\S+)\."


@recipe("MarkorDeleteNewestNote")
class DeleteNewestNote(Notes):
    mutations: ClassVar[tuple[str, ...]] = ("oldest-deleted", "all-deleted", "newest-two-deleted")
    note = "which note is the newest is upstream's reading of the file times"

    def _by_age(self) -> list[str]:
        return [file.file_name for file in self.task.initial_file_list_sorted]

    def by_data(self) -> State:
        return self.without(self._by_age()[-1])

    def mutant(self, name: str, wanted: State) -> State | None:
        aged = self._by_age()
        if name == "oldest-deleted":
            return self.without(aged[0]) if len(aged) > 1 else None
        if name == "newest-two-deleted":
            return self.without(*aged[-2:]) if len(aged) > 2 else None
        return {} if len(aged) > 1 else None


@recipe("MarkorDeleteAllNotes")
class DeleteAllNotes(Notes):
    words = True
    mutations: ClassVar[tuple[str, ...]] = ("one-left",)

    def by_words(self) -> State:
        self.match(r"Delete all my notes in Markor\.")
        return {}

    def by_data(self) -> State:
        return {}

    def mutant(self, name: str, wanted: State) -> State | None:
        kept = self.others()[0]
        return {kept: self.before[kept]}
