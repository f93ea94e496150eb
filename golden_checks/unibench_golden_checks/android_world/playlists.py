"""Playlists of VLC and Retro Music, and Retro's playing queue."""

from __future__ import annotations

from typing import ClassVar

from unibench_golden_checks.android_world.recipe import Recipe, State, recipe

_DOWNLOAD = "/storage/emulated/0/Download"
_RETRO = "/data/data/code.name.monkey.retromusic/databases"
_RETRO_APP = "code.name.monkey.retromusic"
_VLC = "/data/data/org.videolan.vlc/app_db/vlc_media.db"
_VLC_APP = "org.videolan.vlc"
_NOTE = "rows that the app's tables would hold; files are named in them, not played"


class Playlists(Recipe):
    """Playlists by name, each with its files in order."""

    words = True
    note = _NOTE
    mutations: ClassVar[tuple[str, ...]] = ("other-order", "one-missing", "one-too-many", "other-name", "empty")

    def plan(self) -> dict[str, list[str]]:
        """The wanted playlists by the goal's words."""
        raise NotImplementedError

    def drawn(self) -> dict[str, list[str]]:
        """The wanted playlists by the verifier's parameters."""
        raise NotImplementedError

    def by_words(self) -> State:
        return {**self.before, **self.plan()}

    def by_data(self) -> State:
        return {**self.before, **self.drawn()}

    def mutant(self, name: str, wanted: State) -> State | None:
        title, files = next(iter(self.plan().items()))
        rest = {other: listed for other, listed in wanted.items() if other != title}
        match name:
            case "other-order":
                return {**rest, title: files[::-1]}
            case "one-missing":
                return {**rest, title: files[:-1]}
            case "one-too-many":
                return {**rest, title: [*files, "something else"]}
            case "other-name":
                return {**rest, "Nothing of the Kind": files}
            case "empty":
                return {**rest, title: []}
        return None


# -- VLC -------------------------------------------------------------------------------------------


@recipe("VlcCreatePlaylist")
class VlcPlaylist(Playlists):
    def plan(self) -> dict[str, list[str]]:
        found = self.match(
            r'Create a playlist titled "(.*)" with the following files in VLC \(located in Internal Memory/VLCVideos\), in order: (.*)'
        )
        return {found[1]: found[2].split(", ")}

    def drawn(self) -> dict[str, list[str]]:
        return {self.task.params["playlist_name"]: list(self.task.params["files"])}

    def read(self) -> State:
        lists: dict[str | None, tuple[str, list[str]]] = {
            row["id_playlist"]: (str(row["name"])[1:-1].replace("''", "'"), [])
            for row in self.phone.rows(_VLC, "Playlist", ["id_playlist", "name"])
        }
        media = {
            row["id_media"]: str(row["filename"])[1:-1].replace("''", "'")
            for row in self.phone.rows(_VLC, "Media", ["id_media", "filename"])
        }
        for row in self.phone.rows(_VLC, "PlaylistMediaRelation", ["media_id", "playlist_id", "position"]):
            lists[row["playlist_id"]][1].append(media[row["media_id"]])
        return dict(lists.values())

    def construct(self, state: State) -> None:
        self.phone.stop(_VLC_APP)
        number = 0
        for place, (name, files) in enumerate(state.items(), start=1):
            self.phone.insert(_VLC, "Playlist", {"id_playlist": place, "name": name})
            for position, file in enumerate(files):
                number += 1
                self.phone.insert(_VLC, "Media", {"id_media": number, "filename": file})
                self.phone.insert(_VLC, "PlaylistMediaRelation", {"media_id": number, "playlist_id": place, "position": position})


@recipe("VlcCreateTwoPlaylists")
class VlcTwoPlaylists(VlcPlaylist):
    mutations: ClassVar[tuple[str, ...]] = ("first-half", "second-half", "files-swapped")

    def plan(self) -> dict[str, list[str]]:
        found = self.match(
            r'Create a playlist titled "(.*)" with the following files in VLC \(located in Internal Memory/VLCVideos\), '
            r"in order: (.*)\. And then, "
            r'create a playlist titled "(.*)" with the following files in VLC, in order: (.*)\.'
        )
        return {found[1]: found[2].split(", "), found[3]: found[4].split(", ")}

    def drawn(self) -> dict[str, list[str]]:
        drawn = self.task.params
        return {drawn["playlist_name1"]: list(drawn["files1"]), drawn["playlist_name2"]: list(drawn["files2"])}

    def mutant(self, name: str, wanted: State) -> State | None:
        if len(self.plan()) < 2:
            return None
        (one, first), (two, second) = self.plan().items()
        return {"first-half": {one: first}, "second-half": {two: second}, "files-swapped": {one: second, two: first}}[name]


# -- Retro -----------------------------------------------------------------------------------------


@recipe("RetroCreatePlaylist")
class RetroPlaylist(Playlists):
    form: ClassVar[str] = r'Create a playlist in Retro Music titled "(.*)" with the following songs, in order: (.*)'

    def plan(self) -> dict[str, list[str]]:
        found = self.match(self.form)
        return {found[1]: found[2].split(", ")}

    def drawn(self) -> dict[str, list[str]]:
        return {self.task.params["playlist_name"]: [file.split(".")[0] for file in self.task.params["files"]]}

    def read(self) -> State:
        base = f"{_RETRO}/playlist.db"
        lists: dict[str | None, tuple[str, list[str]]] = {
            row["playlist_id"]: (_plain(row["playlist_name"]), [])
            for row in self.phone.rows(base, "PlaylistEntity", ["playlist_id", "playlist_name"])
        }
        for row in self.phone.rows(base, "SongEntity", ["playlist_creator_id", "title"]):
            lists[row["playlist_creator_id"]][1].append(_plain(row["title"]))
        return dict(lists.values())

    def milliseconds(self, songs: int) -> int:
        """How long each of so many songs is."""
        return 180_000

    def construct(self, state: State) -> None:
        self.phone.stop(_RETRO_APP)
        base, number = f"{_RETRO}/playlist.db", 0
        for place, (name, songs) in enumerate(state.items(), start=1):
            self.phone.insert(base, "PlaylistEntity", {"playlist_id": place, "playlist_name": name})
            for song in songs:
                number += 1
                row = {"song_key": number, "playlist_creator_id": place, "title": song, "duration": self.milliseconds(len(songs))}
                self.phone.insert(base, "SongEntity", row)


def _plain(quoted: str | None) -> str:
    return str(quoted)[1:-1].replace("''", "'")


@recipe("RetroSavePlaylist")
class RetroSaved(RetroPlaylist):
    """The playlists, and the exported files."""

    mutations: ClassVar[tuple[str, ...]] = ("first-half", "second-half", "exported-under-another-name")
    form = RetroPlaylist.form + r"\. Then export the playlist to the Downloads directory on the device\."

    def read(self) -> State:
        return {"playlists": super().read(), "exported": [name for name in self.phone.names(_DOWNLOAD) if name.endswith(".m3u")]}

    def by_words(self) -> State:
        return {"playlists": self.plan(), "exported": [f"{next(iter(self.plan()))}.m3u"]}

    def by_data(self) -> State:
        return {"playlists": self.drawn(), "exported": [f"{next(iter(self.drawn()))}.m3u"]}

    def mutant(self, name: str, wanted: State) -> State | None:
        match name:
            case "first-half":
                return {**wanted, "exported": []}
            case "second-half":
                return {**wanted, "playlists": {}}
        return {**wanted, "exported": ["another.m3u"]}

    def construct(self, state: State) -> None:
        super().construct(state["playlists"])
        for name in state["exported"]:
            self.phone.write(f"{_DOWNLOAD}/{name}", "#EXTM3U\n")


@recipe("RetroPlaylistDuration")
class RetroDuration(RetroPlaylist):
    """A playlist of 45 to 50 minutes."""

    note = f"{_NOTE}; how long each song is, is made up"
    mutations: ClassVar[tuple[str, ...]] = ("too-short", "too-long", "other-name")
    form = r'Create a playlist in Retro Music titled "(.*)" with a duration between 45 and 50 minutes using the provided songs\.'

    def plan(self) -> dict[str, list[str]]:
        return {self.match(self.form)[1]: [file.split(".")[0] for file in self.task.params["files"]]}

    def prepare(self) -> None:
        super().prepare()
        self.minutes = 47.5

    def milliseconds(self, songs: int) -> int:
        return int(self.minutes * 60_000 / max(songs, 1))

    def read(self) -> State:
        rows = self.phone.rows(f"{_RETRO}/playlist.db", "SongEntity", ["duration"])
        return {"playlists": super().read(), "minutes": round(sum(int(str(row["duration"])) for row in rows) / 60_000, 1)}

    def _lasting(self, minutes: float, playlists: State) -> State:
        return {"playlists": playlists, "minutes": minutes}

    def by_words(self) -> State:
        return self._lasting(47.5, self.plan())

    def by_data(self) -> State:
        return self._lasting(47.5, self.drawn())

    def mutant(self, name: str, wanted: State) -> State | None:
        if name == "other-name":
            return self._lasting(47.5, {"Nothing of the Kind": next(iter(self.plan().values()))})
        return self._lasting(44.0 if name == "too-short" else 51.0, self.plan())

    def construct(self, state: State) -> None:
        self.minutes = state["minutes"]
        super().construct(state["playlists"])


@recipe("RetroPlayingQueue")
class RetroQueue(Recipe):
    """Upstream's set-up empties the folder that the queue's table is in; the app makes it anew when it is opened."""

    words = True
    note = _NOTE
    mutations: ClassVar[tuple[str, ...]] = ("other-order", "one-missing", "one-too-many", "opened-only")
    _base = f"{_RETRO}/music_playback_state.db"

    def by_words(self) -> State:
        return self.match(r"Add the following songs, in order, (.*) to my playing queue in Retro music\.")[1].split(", ")

    def by_data(self) -> State:
        return [file.split(".")[0] for file in self.task.params["files"]]

    def mutant(self, name: str, wanted: State) -> State | None:
        made: dict[str, State] = {
            "other-order": wanted[::-1],
            "one-missing": wanted[:-1],
            "one-too-many": [*wanted, "something else"],
            "opened-only": [],
        }
        return made[name]

    def prepare(self) -> None:
        from android_world.env import adb_utils

        adb_utils.launch_app("retro music", self.handle.env.controller)
        self.phone.steps.append(["open", "retro music"])
        self.before = self.read()
        self.phone.stop(_RETRO_APP)

    def construct(self, state: State) -> None:
        for number, song in enumerate(state):
            self.phone.insert(self._base, "playing_queue", {"_id": number, "title": song})

    def read(self) -> State:
        return [_plain(row["title"]) for row in self.phone.rows(self._base, "playing_queue", ["title"])]
