"""What AndroidWorld's apps are on a simulated device: their packages, folders, databases, and the few things that they do.

The tables that verifiers read are made from upstream's own row dataclasses (``SELECT *`` is unpacked into them, so their columns are the
real ones); the other tables have the columns that upstream's queries name. Types, constraints and further tables are invented.
"""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from unibench_guests.simdevice import Completed, SimulatedDevice
from unibench_guests.simdevice.activities import show
from unibench_guests.simdevice.device import View
from unibench_guests.simdevice.providers import SENT, add_contact, add_message, make_databases

_SNAPSHOTS = "/data/data/android_world/snapshots"
_FOLDERS = (
    "Alarms", "Audiobooks", "DCIM", "Documents/Markor", "Download", "Movies", "Music", "Notifications", "Pictures", "Podcasts",
    "Recordings", "Ringtones", "VLCVideos", "Android/data/com.dimowner.audiorecorder/files/Music/records",
    "Android/data/net.osmand/files/favorites", "Android/data/net.osmand/files/tracks",
)  # fmt: skip
_FAVORITES = '<?xml version="1.0"?><gpx xmlns="http://www.topografix.com/GPX/1/1" version="1.1" creator="simdevice"></gpx>'
_VLC = """CREATE TABLE IF NOT EXISTS Playlist(id_playlist INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT);
CREATE TABLE IF NOT EXISTS Media(id_media INTEGER PRIMARY KEY AUTOINCREMENT, filename TEXT);
CREATE TABLE IF NOT EXISTS PlaylistMediaRelation(media_id INTEGER, playlist_id INTEGER, position INTEGER);"""
_RETRO = """CREATE TABLE IF NOT EXISTS PlaylistEntity(playlist_id INTEGER PRIMARY KEY AUTOINCREMENT, playlist_name TEXT);
CREATE TABLE IF NOT EXISTS SongEntity(song_key INTEGER PRIMARY KEY AUTOINCREMENT, playlist_creator_id INTEGER, title TEXT,
  duration INTEGER);"""
_QUEUE = "CREATE TABLE IF NOT EXISTS playing_queue(_id INTEGER, title TEXT);"
_CLIPPER = "ca.zgrs.clipper"
_SMS_APP = "com.simplemobiletools.smsmessenger"
_CONTACTS_APP = "com.google.android.contacts"


def packages() -> list[str]:
    """The packages that upstream's set-up leaves on the emulator, and those that an emulator has."""
    from android_world.env.setup_device import setup

    own = {app.package_name() for app in setup._APPS}
    return sorted(own | {"com.android.chrome", "com.google.androidenv.accessibilityforwarder"})


def provision(device: SimulatedDevice) -> None:
    """Brings a new device to the state that upstream's set-up leaves, and keeps it."""
    for folder in _FOLDERS:
        device.path(f"/data/media/0/{folder}").mkdir(parents=True, exist_ok=True)
    make_databases(device)
    _app_databases(device)
    device.path("/data/media/0/Android/data/net.osmand/files/favorites/favorites.gpx").write_text(_FAVORITES, encoding="utf-8")
    for package in device.packages:
        shutil.copytree(device.path(f"/data/data/{package}"), device.path(f"{_SNAPSHOTS}/{package}"), dirs_exist_ok=True)
    _app_behaviour(device)
    device.keep()


def _app_databases(device: SimulatedDevice) -> None:
    from android_world.task_evals.information_retrieval import activity_app_utils, joplin_app_utils, task_app_utils
    from android_world.task_evals.single import expense, osmand, recipe, retro_music, vlc
    from android_world.task_evals.single.calendar import calendar_utils
    from android_world.task_evals.utils import sqlite_schema_utils as rows

    for path, table, row, key, text in (
        (calendar_utils.DB_PATH, calendar_utils.EVENTS_TABLE, rows.CalendarEvent, "id", False),
        (expense._DB_PATH, expense._TABLE_NAME, rows.Expense, "expense_id", False),
        (recipe._DB_PATH, recipe._TABLE_NAME, rows.Recipe, "recipeId", False),
        (task_app_utils._DB_PATH, "tasks", rows.Task, "_id", False),
        (activity_app_utils._DB_PATH, "tracks", rows.SportsActivity, "_id", False),
        (osmand.OsmAndMarker.db_path, osmand.OsmAndMarker.table_name, rows.OsmAndMapMarker, "marker_id", True),
        (joplin_app_utils._DB_PATH, "notes", rows.JoplinNote, "id", True),
        (joplin_app_utils._DB_PATH, "notes_normalized", rows.JoplinNormalizedNote, "id", True),
        (joplin_app_utils._DB_PATH, "folders", rows.JoplinFolder, "id", True),
    ):
        _script(device, path, table_of(table, row, key, text_key=text))
    _script(device, vlc._DB_PATH, _VLC)
    _script(device, retro_music._PLAYLIST_DB_PATH, _RETRO)
    _script(device, retro_music._PLAYBACK_DB_PATH, _QUEUE)


def table_of(table: str, row: Any, key: str, *, text_key: bool) -> str:
    """The statement that makes a table with a row dataclass's fields as columns."""
    columns = []
    for field in dataclasses.fields(row):
        kind = str(field.type)
        sql = "INTEGER" if "int" in kind else "REAL" if "float" in kind else "BLOB" if "bytes" in kind else "TEXT"
        primary = (" PRIMARY KEY" if text_key else " PRIMARY KEY AUTOINCREMENT") if field.name == key else ""
        columns.append(f'"{field.name}" {sql}{primary}')
    return f"CREATE TABLE IF NOT EXISTS {table} ({', '.join(columns)})"


def _script(device: SimulatedDevice, path: str, script: str) -> None:
    device.path(path).parent.mkdir(parents=True, exist_ok=True)
    with closing(device.database(path)) as base:
        base.executescript(script)


# -- what the apps do ------------------------------------------------------------------------------


def _app_behaviour(device: SimulatedDevice) -> None:
    device.launched = _own_databases_again
    device.receivers |= {
        "clipper.set": _clipper_set,
        "clipper.get": _clipper_get,
        "com.example.ACTION_UPDATE_OVERLAY": _received,
        "android.intent.action.MEDIA_SCANNER_SCAN_FILE": _received,
        "accessibility_forwarder.intent.action.SET_GRPC": _received,
        "accessibility_forwarder.intent.action.ENABLE_ACCESSIBILITY_TREE_LOGS": _received,
    }
    device.activities |= {
        "android.intent.action.INSERT": _new_contact,
        "android.intent.action.SENDTO": _new_message,
        "android.intent.action.VIEW": _view,
    }


def _own_databases_again(device: SimulatedDevice, package: str) -> None:
    """An app that starts makes the databases anew that it misses."""
    source = device.path(f"{_SNAPSHOTS}/{package}")
    for file in source.rglob("*") if source.is_dir() else ():
        target = device.path(f"/data/data/{package}/{file.relative_to(source)}")
        if file.is_file() and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, target)


def _received(device: SimulatedDevice, asked: Mapping[str, object]) -> str:
    return f"Broadcasting: Intent {{ act={asked['action']} }}\nBroadcast completed: result=0\n"


def _clipper_set(device: SimulatedDevice, asked: Mapping[str, Any]) -> str:
    """Clipper answers only in the foreground, since Android 10 lets no other app at the clipboard."""
    if not device.foreground.startswith(f"{_CLIPPER}/"):
        return _received(device, asked)
    device.state.clipboard = asked["extras"]["text"]
    return 'Broadcasting: Intent { act=clipper.set }\nBroadcast completed: result=-1, data="Text is copied into clipboard."\n'


def _clipper_get(device: SimulatedDevice, asked: Mapping[str, Any]) -> str:
    if not device.foreground.startswith(f"{_CLIPPER}/"):
        return _received(device, asked)
    return f'Broadcasting: Intent {{ act=clipper.get }}\nBroadcast completed: result=-1, data="{device.state.clipboard}"\n'


def _new_contact(device: SimulatedDevice, asked: Mapping[str, Any]) -> str:
    name, number = asked["extras"]["name"], asked["extras"]["phone"]
    show(device, f"{_CONTACTS_APP}/com.google.android.apps.contacts.editor.ContactEditorActivity")

    def save() -> None:
        add_contact(device, name, number)
        device.state.screen = ()

    device.state.screen = (
        View("SAVE", (800, 100, 1000, 200), on_tap=save),
        View(name, (50, 300, 1000, 400), hint="First name"),
        View(number, (50, 450, 1000, 550), hint="Phone"),
    )
    return "Starting: Intent { act=android.intent.action.INSERT }\n"


def _new_message(device: SimulatedDevice, asked: Mapping[str, Any]) -> str:
    number, body = str(asked["data"]).split(":", 1)[1], asked["extras"]["sms_body"]
    show(device, f"{_SMS_APP}/{_SMS_APP}.activities.ThreadActivity")

    def send() -> None:
        add_message(device, number, body, SENT)
        device.state.screen = ()

    device.state.screen = (View("SMS", (900, 2200, 1060, 2300), on_tap=send), View(body, (50, 2200, 850, 2300)))
    return "Starting: Intent { act=android.intent.action.SENDTO }\n"


def _view(device: SimulatedDevice, asked: Mapping[str, Any]) -> Completed | str:
    from unibench_guests.simdevice import NotSimulated

    if not str(asked.get("data", "")).startswith("content://contacts"):
        raise NotSimulated(f"a view of {asked.get('data')!r}")
    show(device, f"{_CONTACTS_APP}/com.google.android.apps.contacts.activities.PeopleActivity")
    return "Starting: Intent { act=android.intent.action.VIEW }\n"
