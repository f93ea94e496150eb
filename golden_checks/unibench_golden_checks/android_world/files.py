"""Files and folders: moved and deleted files, recordings, photos, drawings, copies."""

from __future__ import annotations

from typing import ClassVar

from unibench_golden_checks.android_world.phone import Tree
from unibench_golden_checks.android_world.recipe import Recipe, State, recipe

STORAGE = "/storage/emulated/0"


class Folder(Recipe):
    """What is below one folder. Wanted trees are made from the one before: what the instruction does not name must stay."""

    folder: ClassVar[str] = ""

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


@recipe("FilesMoveFile")
class MoveFile(Moved):
    folder = STORAGE
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


@recipe("FilesDeleteFile")
class DeleteFile(Deleted):
    form = (
        r"Delete the file (?P<file>.+) from the Android filesystem located in the (?P<folder>\S+) folder within the sdk_gphone_x86_64 "
        r"storage area\."
    )

    @property
    def where(self) -> str:
        return f"{STORAGE}/{self.match(self.form)['folder']}"


# -- recordings, photos, drawings, copies ----------------------------------------------------------


class NewFile(Folder):
    """A file of a kind in a folder, made by an app on a real phone; here only its name and a few bytes stand for it."""

    note = "the file holds no recording, photo or drawing: the verifier looks at names and sizes"
    new: ClassVar[str] = ""
    mutations: ClassVar[tuple[str, ...]] = ("two-new", "empty")

    def by_data(self) -> State:
        return self.with_files(**{self.new: "x" * 100})

    def mutant(self, name: str, wanted: State) -> State | None:
        if name == "empty":
            return self.with_files(**{self.new: ""})
        return self.with_files(**{self.new: "x" * 100, f"2{self.new}": "x" * 100})


_RECORDINGS = f"{STORAGE}/Android/data/com.dimowner.audiorecorder/files/Music/records"


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
    folder = f"{STORAGE}/Pictures"
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
        return {folder: self.phone.tree(f"{STORAGE}/{folder}") for folder in ("DCIM", "Download")}

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
                self.phone.shell("cp", f"{STORAGE}/DCIM/{file}", f"{STORAGE}/Download/{name}")
            else:
                self.phone.write(f"{STORAGE}/Download/{name}", str(text))
        for name in self.before["DCIM"].keys() - state["DCIM"].keys():
            self.phone.shell("rm", f"{STORAGE}/DCIM/{name}")
