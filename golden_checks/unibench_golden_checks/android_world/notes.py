"""Files and folders: Markor's notes, recordings, photos, drawings, moved and deleted files."""

from __future__ import annotations

from typing import ClassVar

from unibench_golden_checks.android_world.phone import Tree
from unibench_golden_checks.android_world.recipe import Recipe, State, recipe

_STORAGE = "/storage/emulated/0"
_MARKOR = f"{_STORAGE}/Documents/Markor"


class Folder(Recipe):
    """What is below one folder. Wanted trees are made from the one before: what the instruction does not name must stay."""

    folder: ClassVar[str] = _MARKOR

    @property
    def where(self) -> str:
        return self.folder

    def read(self) -> State:
        return self.phone.tree(self.where)

    def construct(self, state: State) -> None:
        self.phone.make(self.where, state, self.before)

    def with_files(self, **files: str | None) -> Tree:
        return {**self.before, **files}

    def without(self, *names: str) -> Tree:
        return {name: text for name, text in self.before.items() if name not in names}

    def others(self, *but: str) -> list[str]:
        """Files that were there before, other than these."""
        return [name for name, text in self.before.items() if text is not None and name not in but]


# -- Markor: created -------------------------------------------------------------------------------


class OneFile(Folder):
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
class CreateFolder(Folder):
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


# -- Markor: changed -------------------------------------------------------------------------------


@recipe("MarkorEditNote")
class EditNote(Folder):
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


class Renamed(Folder):
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


class Moved(Folder):
    """A file moved from one folder to another."""

    words = True
    mutations: ClassVar[tuple[str, ...]] = ("copied", "deleted", "other-file", "other-files-deleted")
    form: ClassVar[str] = ""

    def plan(self) -> tuple[str, str, str]:
        found = self.match(self.form)
        return found["file"], found["source"], found["target"]

    def read(self) -> State:
        _, source, target = self.plan()
        return {f"{folder}/{name}": text for folder in (source, target) for name, text in self.phone.tree(f"{self.where}/{folder}").items()}

    def _moved(self, file: str, source: str, target: str) -> State:
        return {**self.without(f"{source}/{file}"), f"{target}/{file}": self.before[f"{source}/{file}"]}

    def by_words(self) -> State:
        return self._moved(*self.plan())

    def by_data(self) -> State:
        drawn = self.task.move_file_task.params
        return self._moved(drawn["file_name"], drawn["source_folder"], drawn["destination_folder"])

    def mutant(self, name: str, wanted: State) -> State | None:
        file, source, target = self.plan()
        others = [path for path in self.others(f"{source}/{file}") if path.startswith(f"{source}/")]
        match name:
            case "copied":
                return self.with_files(**{f"{target}/{file}": self.before[f"{source}/{file}"]})
            case "deleted":
                return self.without(f"{source}/{file}")
            case "other-file" if others:
                return self._moved(others[0].removeprefix(f"{source}/"), source, target)
            case "other-files-deleted" if others:
                return {f"{target}/{file}": self.before[f"{source}/{file}"]}
        return None


@recipe("MarkorMoveNote")
class MoveNote(Moved):
    form = r"In Markor, move the note (?P<file>\S+) from (?P<source>\S+) to (?P<target>\S+)\."


@recipe("FilesMoveFile")
class MoveFile(Moved):
    folder = _STORAGE
    form = (
        r"Move the file (?P<file>.+) from (?P<source>\S+) within the sdk_gphone_x86_64 storage area to the (?P<target>\S+) within the same "
        r"sdk_gphone_x86_64 storage area in the Android filesystem\."
    )


class Deleted(Folder):
    """A file deleted."""

    words = True
    mutations: ClassVar[tuple[str, ...]] = ("other-file", "renamed", "all-deleted")
    form: ClassVar[str] = ""

    @property
    def file(self) -> str:
        return self.match(self.form)["file"]

    def by_words(self) -> State:
        return self.without(self.file)

    def by_data(self) -> State:
        return self.without(self.task.delete_file_task.params["file_name"])

    def mutant(self, name: str, wanted: State) -> State | None:
        others = self.others(self.file)
        match name:
            case "other-file" if others:
                return self.without(others[0])
            case "renamed":
                return {**wanted, f"not_{self.file}": self.before[self.file]}
            case "all-deleted" if others:
                return {}
        return None


@recipe("MarkorDeleteNote")
class DeleteNote(Deleted):
    form = r"Delete the note in Markor named (?P<file>\S+)\."


@recipe("FilesDeleteFile")
class DeleteFile(Deleted):
    form = (
        r"Delete the file (?P<file>.+) from the Android filesystem located in the (?P<folder>\S+) folder within the sdk_gphone_x86_64 "
        r"storage area\."
    )

    @property
    def where(self) -> str:
        return f"{_STORAGE}/{self.match(self.form)['folder']}"


@recipe("MarkorDeleteNewestNote")
class DeleteNewestNote(Folder):
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
class DeleteAllNotes(Folder):
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


# -- recordings, photos, drawings, copies ----------------------------------------------------------


class NewFile(Folder):
    """A file of a kind in a folder, made by an app on a real phone; here only its name and a few bytes stand for it."""

    note = "the file holds no recording, photo or drawing: the verifier looks at names and sizes"
    new: ClassVar[str] = ""
    mutations: ClassVar[tuple[str, ...]] = ("two-new",)

    def by_data(self) -> State:
        return self.with_files(**{self.new: "x" * 100})

    def mutant(self, name: str, wanted: State) -> State | None:
        return self.with_files(**{self.new: "x" * 100, f"2{self.new}": "x" * 100})


_RECORDINGS = f"{_STORAGE}/Android/data/com.dimowner.audiorecorder/files/Music/records"


@recipe("AudioRecorderRecordAudio")
class Record(NewFile):
    folder, new = _RECORDINGS, "Record-1.m4a"
    mutations: ClassVar[tuple[str, ...]] = ("empty",)

    def mutant(self, name: str, wanted: State) -> State | None:
        return self.with_files(**{self.new: ""})


@recipe("AudioRecorderRecordAudioWithFileName")
class RecordNamed(NewFile):
    words = True
    note = f"{NewFile.note}; the recorder is taken to put its own .m4a behind the name that is typed, though the name ends with one"
    folder = _RECORDINGS
    mutations: ClassVar[tuple[str, ...]] = ("default-name", "empty")

    def by_words(self) -> State:
        name = self.match(r'Record an audio clip and save it with name "(.*)" using Audio Recorder app\.')[1]
        return self.with_files(**{f"{name}.m4a": "x" * 100})

    def by_data(self) -> State:
        return self.with_files(**{f"{self.task.params['file_name']}.m4a": "x" * 100})

    def mutant(self, name: str, wanted: State) -> State | None:
        (file,) = (path for path in wanted if path not in self.before)
        return self.with_files(**({"Record-1.m4a": "x" * 100} if name == "default-name" else {file: ""}))


@recipe("CameraTakePhoto")
class TakePhoto(NewFile):
    folder, new = "/sdcard/Pictures", "IMG_1.jpg"


@recipe("CameraTakeVideo")
class TakeVideo(NewFile):
    folder, new = "/sdcard/Movies", "VID_1.mp4"


@recipe("SimpleDrawProCreateDrawing")
class Draw(NewFile):
    words = True
    folder = f"{_STORAGE}/Pictures"
    mutations: ClassVar[tuple[str, ...]] = ("other-name",)

    def by_words(self) -> State:
        name = self.match(
            r"Create a new drawing in Simple Draw Pro\. Name it (\S+)\. Save it in the Pictures folder within the "
            r"sdk_gphone_x86_64 storage area\."
        )[1]
        return self.with_files(**{name: "x" * 100})

    def by_data(self) -> State:
        return self.with_files(**{self.task.params["file_name"]: "x" * 100})

    def mutant(self, name: str, wanted: State) -> State | None:
        (file,) = (path for path in wanted if path not in self.before)
        return self.with_files(**{f"not_{file}": "x" * 100})


@recipe("SaveCopyOfReceiptTaskEval")
class CopyReceipt(Recipe):
    """Small and large files alike are copied on the phone, so that the copy is one."""

    words = True
    mutations: ClassVar[tuple[str, ...]] = ("other-name", "another-file-of-that-name", "original-deleted")

    def _file(self) -> str:
        return self.match(r"In Simple Gallery Pro, copy (\S+) in DCIM and save a copy with the same name in Download")[1]

    def read(self) -> State:
        return {folder: self.phone.tree(f"{_STORAGE}/{folder}") for folder in ("DCIM", "Download")}

    def _copied(self, file: str) -> State:
        return {**self.before, "Download": {**self.before["Download"], file: self.before["DCIM"][file]}}

    def by_words(self) -> State:
        return self._copied(self._file())

    def by_data(self) -> State:
        return self._copied(self.task.params["file_name"])

    def mutant(self, name: str, wanted: State) -> State | None:
        file = self._file()
        match name:
            case "other-name":
                return {**self.before, "Download": {f"not_{file}": self.before["DCIM"][file]}}
            case "another-file-of-that-name":
                return {**self.before, "Download": {file: "x"}}
            case "original-deleted":
                return {**wanted, "DCIM": {}}
        return None

    def construct(self, state: State) -> None:
        file = self._file()
        for name, text in state["Download"].items():
            if text == self.before["DCIM"][file]:
                self.phone.shell("cp", f"{_STORAGE}/DCIM/{file}", f"{_STORAGE}/Download/{name}")
            else:
                self.phone.write(f"{_STORAGE}/Download/{name}", str(text))
        for name in self.before["DCIM"].keys() - state["DCIM"].keys():
            self.phone.shell("rm", f"{_STORAGE}/DCIM/{name}")
