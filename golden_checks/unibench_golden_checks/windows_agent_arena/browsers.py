"""Chrome's and Edge's profiles on Windows: the files in which the browsers keep what their settings pages set.

Neither browser is here. A setting that Chromium has under the same name is written as Chromium writes it; what only Edge has is taken
from what the verifier looks for, and marked so (``verifier-data``): it shows that the task can be passed, and no more.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from unibench.golden.control import Provenance
from unibench_golden_checks.osworld.settings import Make, Read, Recipe
from unibench_golden_checks.windows_agent_arena.explorer import lnk
from unibench_golden_checks.windows_agent_arena.making import DESKTOP, DOCUMENTS, bytes_of, names_in, put
from unibench_guests.pathmapped.paths import HOME
from unibench_osworld.session import DesktopHandle

CHROME = f"{HOME}\\AppData\\Local\\Google\\Chrome\\User Data"
EDGE = f"{HOME}\\AppData\\Local\\Microsoft\\Edge\\User Data"
BY_PROFILE = Provenance(source="instruction", means="file", note="the browser's own file, in Chromium's names and form")
BY_VERIFIER = Provenance(source="verifier-data", means="file", note="Edge's own names, taken from what the verifier reads")
Values = dict[str, JsonValue]


def nested(values: Mapping[str, JsonValue]) -> dict[str, Any]:
    """``{"a.b": 1}`` as ``{"a": {"b": 1}}``."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        *groups, last = name.split(".")
        here = found
        for group in groups:
            here = here.setdefault(group, {})
        here[last] = value
    return found


_FIRST: Values = {"profile.name": "Person 1", "browser.has_seen_welcome_page": True, "session.restore_on_startup": 5}
"""What a profile holds after the browser's first start, as far as it matters here."""


def preferences(path: str, values: Values) -> Make:
    """The browser's preferences: a first start's, and these."""
    return put(path, json.dumps(nested({**_FIRST, **values})))


def values_of(path: str, names: tuple[str, ...]) -> Read:
    """Preferences by name; None where one is not set."""

    def read(handle: DesktopHandle) -> JsonValue:
        found: Values = {}
        for name in names:
            here: Any = json.loads(bytes_of(handle, path))
            for group in name.split("."):
                here = here.get(group) if isinstance(here, dict) else None
            found[name] = here
        return found

    return read


def setting(path: str, wanted: Values, mutants: Mapping[str, Values], provenance: Provenance = BY_PROFILE) -> Recipe:
    """Preferences that must have these values; the mutants set others. What the golden unsets, it says with None."""
    names = tuple(dict.fromkeys([*wanted, *(name for values in mutants.values() for name in values)]))
    full: Values = {name: {**_FIRST, **wanted}.get(name) for name in names}
    return Recipe(
        wanted=full,
        golden=preferences(path, wanted),
        read=values_of(path, names),
        provenance=provenance,
        mutants={name: preferences(path, values) for name, values in mutants.items()},
        start=preferences(path, {}),
    )


# Bookmarks

_ILLUSTRATED = "https://jalammar.github.io/illustrated-transformer/"
_ROTARY = "https://blog.eleuther.ai/rotary-embeddings/"


def _bookmarks(bar: list[Values], other: list[Values] | None = None) -> str:
    def root(name: str, children: list[Values]) -> Values:
        return {"children": list(children), "name": name, "type": "folder"}

    roots: Values = {
        "bookmark_bar": root("Bookmarks bar", bar),
        "other": root("Other bookmarks", other or []),
        "synced": root("Mobile", []),
    }
    return json.dumps({"checksum": "", "roots": roots, "version": 1}, indent=3)


def _url(name: str, url: str) -> Values:
    return {"name": name, "type": "url", "url": url}


def marked(user_data: str) -> Recipe:
    """The illustrated page is on the bookmarks bar."""
    path = f"{user_data}\\Default\\Bookmarks"
    page = _url("The Illustrated Transformer", _ILLUSTRATED)
    states = {
        "golden": _bookmarks([page]),
        "other-page": _bookmarks([_url("Rotary Embeddings", _ROTARY)]),
        "other-place": _bookmarks([], [page]),
        "folder-of-that-name": _bookmarks([{"children": [], "name": _ILLUSTRATED, "type": "folder"}]),
        "in-a-folder": _bookmarks([{"children": [page], "name": "Reading", "type": "folder"}]),
    }
    return _by_text(path, states, _bookmarks([]))


def _by_text(path: str, states: Mapping[str, str], start: str) -> Recipe:
    return Recipe(
        wanted=json.loads(states["golden"]),
        golden=put(path, states["golden"]),
        read=lambda handle: json.loads(bytes_of(handle, path)),
        provenance=BY_PROFILE,
        mutants={name: put(path, text) for name, text in states.items() if name != "golden"},
        start=put(path, start),
    )


# Databases


def changed(data: bytes, change: Callable[[sqlite3.Connection], object]) -> bytes:
    """A database with a change."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "database"
        file.write_bytes(data)
        connection = sqlite3.connect(file)
        try:
            with connection:
                change(connection)
        finally:
            connection.close()
        return file.read_bytes()


def rows(data: bytes, query: str) -> list[JsonValue]:
    """A query's rows, each one's first value."""
    found: list[JsonValue] = []
    changed(data, lambda connection: found.extend(row[0] for row in connection.execute(query)))
    return found


def history(user_data: str) -> Recipe:
    """The visits to YouTube are gone, all others are there."""
    path = f"{user_data}\\Default\\History"

    def without(*statements: str) -> Make:
        def make(handle: DesktopHandle) -> list[JsonValue]:
            data = changed(bytes_of(handle, path), lambda connection: [connection.execute(each) for each in statements])
            return put(path, data)(handle) + [["sql", each] for each in statements]

        return make

    gone = [
        "DELETE FROM visits WHERE url IN (SELECT id FROM urls WHERE url LIKE '%youtube.com%')",
        "DELETE FROM urls WHERE url LIKE '%youtube.com%'",
    ]
    but_one = "DELETE FROM urls WHERE url LIKE '%youtube.com%' AND id <> (SELECT max(id) FROM urls WHERE url LIKE '%youtube.com%')"

    def read(handle: DesktopHandle) -> JsonValue:
        urls = [str(each) for each in rows(bytes_of(handle, path), "SELECT url FROM urls")]
        youtube = sum("youtube.com" in each for each in urls)
        return {"youtube": youtube, "others": len(urls) - youtube}

    return Recipe(
        wanted={"youtube": 0, "others": 13},
        golden=without(*gone),
        read=read,
        provenance=BY_PROFILE,
        mutants={
            "one-left": without(but_one),
            "last-hour-only": without("DELETE FROM urls WHERE id = (SELECT max(id) FROM urls)"),
            "all-cleared": without("DELETE FROM visits", "DELETE FROM urls"),
        },
    )


_COOKIES = "CREATE TABLE cookies (creation_utc INTEGER NOT NULL, host_key TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL)"


def _cookies(*hosts: str) -> bytes:
    def fill(connection: sqlite3.Connection) -> None:
        connection.execute(_COOKIES)
        connection.executemany("INSERT INTO cookies VALUES (13350000000000000, ?, 'session-id', '')", [(host,) for host in hosts])

    return changed(b"", fill)


def cookies(user_data: str) -> Recipe:
    """No cookie of Amazon is left."""
    path = f"{user_data}\\Default\\Network\\Cookies"
    return Recipe(
        wanted=[".example.com"],
        golden=put(path, _cookies(".example.com")),
        read=lambda handle: rows(bytes_of(handle, path), "SELECT host_key FROM cookies ORDER BY host_key"),
        provenance=BY_PROFILE,
        mutants={
            "one-left": put(path, _cookies(".example.com", ".amazon.com")),
            "other-site-deleted": put(path, _cookies(".amazon.com", "www.amazon.com")),
            "www-left": put(path, _cookies(".example.com", "www.amazon.com")),
        },
        start=put(path, _cookies(".example.com", ".amazon.com", "www.amazon.com")),
    )


# Shortcuts

_GAME = "https://www.mathsisfun.com/games/2048.html"
_SAYS = "Play Puzzle Game 2048. Use your arrow keys to move the tiles."
_PROXY = r"C:\Program Files\Google\Chrome\Application\chrome_proxy.exe"
_INTERNET = "[InternetShortcut]\r\nURL={}\r\n"


def _on_desktop(handle: DesktopHandle) -> JsonValue:
    """The files on the desktop: the page that each leads to or what it says."""
    found: Values = {}
    names = names_in(DESKTOP)(handle)
    listed = names[DESKTOP] if isinstance(names, dict) else None
    for name in listed if isinstance(listed, list) else ():
        data = bytes_of(handle, f"{DESKTOP}\\{name}")
        text = data.decode("utf-16-le" if str(name).endswith(".lnk") else "utf-8", errors="ignore")
        found[str(name)] = "the page" if _GAME in text or _SAYS in text else "something else"
    return found


def _leads(found: JsonValue) -> bool:
    return isinstance(found, dict) and any(str(name).endswith((".lnk", ".url")) and what == "the page" for name, what in found.items())


CHROMES_SHORTCUT = Recipe(
    wanted="a shortcut to the page",
    golden=put(f"{DESKTOP}\\2048.lnk", lnk(_PROXY, _SAYS)),
    also={"dragged-from-the-address-bar": put(f"{DESKTOP}\\2048.url", _INTERNET.format(_GAME))},
    read=_on_desktop,
    provenance=BY_PROFILE.model_copy(
        update={"note": "shortcuts as Chrome's menu makes them (.lnk), and as dragging the address does (.url)"}
    ),
    right=_leads,
    mutants={
        "to-another-page": put(f"{DESKTOP}\\Puzzles.lnk", lnk(_PROXY, "Puzzles and games for all ages.")),
        "in-documents": put(f"{DOCUMENTS}\\2048.lnk", lnk(_PROXY, _SAYS)),
    },
)
EDGES_SHORTCUT = Recipe(
    wanted="a shortcut to the page",
    golden=put(f"{DESKTOP}\\2048.url", _INTERNET.format(_GAME)),
    read=_on_desktop,
    provenance=BY_PROFILE.model_copy(update={"note": "a shortcut as dragging the address to the desktop makes it"}),
    right=_leads,
    mutants={
        "to-another-page": put(f"{DESKTOP}\\Puzzles.url", _INTERNET.format("https://www.mathsisfun.com/games/index.html")),
        "in-documents": put(f"{DOCUMENTS}\\2048.url", _INTERNET.format(_GAME)),
        "as-text": put(f"{DESKTOP}\\2048.txt", _GAME),
    },
)

# Search engines

_GUID = "485bf7d3-0215-45af-87dc-538868000{:03d}"
"""The synced ids of the engines that Chromium brings, by their number (Chromium, ``components/search_engines``)."""


def _engine(number: int, name: str, keyword: str) -> Values:
    data = "default_search_provider_data.template_url_data"
    values: Values = {f"{data}.short_name": name, f"{data}.keyword": keyword, f"{data}.prepopulate_id": number}
    return {**values, f"{data}.synced_guid": _GUID.format(number), "default_search_provider.guid": _GUID.format(number)}


_CLEARED: Values = {
    **dict.fromkeys(("browsing_history", "cache", "cookies", "download_history", "form_data", "passwords", "site_settings"), True),
    "hosted_apps_data": False,
}
_PREFERENCES = f"{CHROME}\\Default\\Preferences"
_EDGES = f"{EDGE}\\Default\\Preferences"
_SECURE = f"{EDGE}\\Default\\Secure Preferences"
_STATE = f"{CHROME}\\Local State"
_EXIT = "browser.clear_data_on_exit"
_HUD = "show-performance-metrics-hud"


TABLE: dict[str, Recipe] = {
    "chrome/7a5a7856-f1b6-42a4-ade9-1ca81ca0f263-wos": marked(CHROME),
    "chrome/bb5e4c0d-f964-439c-97b6-bdb9747de3f4-wos": setting(
        _PREFERENCES,
        _engine(3, "Microsoft Bing", "bing.com"),
        {"yahoo": _engine(2, "Yahoo!", "yahoo.com"), "google": _engine(1, "Google", "google.com")},
    ),
    "chrome/030eeff7-b492-4218-b312-701ec99ee0cc-wos": setting(
        _PREFERENCES,
        {"enable_do_not_track": True},
        {"off-again": {"enable_do_not_track": False}, "other-setting": {"profile.cookie_controls_mode": 1}},
    ),
    "chrome/44ee5668-ecd5-4366-a6ce-c1c9b8d4e938-wos": history(CHROME),
    "chrome/af630914-714e-4a24-a7bb-f9af687d3b91-wos": setting(
        _PREFERENCES,
        {"webkit.webprefs.default_font_size": 24, "webkit.webprefs.default_fixed_font_size": 21},
        {
            "large": {"webkit.webprefs.default_font_size": 20, "webkit.webprefs.default_fixed_font_size": 17},
            "small": {"webkit.webprefs.default_font_size": 12, "webkit.webprefs.default_fixed_font_size": 9},
            "fixed-font": {"webkit.webprefs.default_fixed_font_size": 21},
        },
    ),
    "chrome/99146c54-4f37-4ab8-9327-5f3291665e1e-wos": setting(
        _PREFERENCES,
        {"profile.default_content_setting_values.cookies": 4},
        {
            "blocks": {"profile.default_content_setting_values.cookies": 2},
            "pictures-off": {"profile.default_content_setting_values.images": 2},
            "other-setting": {"enable_do_not_track": True},
        },
    ),
    "chrome/2ae9ba84-3a0d-4d4c-8338-3a1478dc5fe3-wos": setting(
        _PREFERENCES, {"profile.name": "Thomas"}, {"other-name": {"profile.name": "Tomas"}, "longer-name": {"profile.name": "Thomas Smith"}}
    ),
    "chrome/9656a811-9b5b-4ddf-99c7-5117bcef0626-wos": setting(
        _PREFERENCES,
        {"safebrowsing.enabled": True, "safebrowsing.enhanced": True},
        {"off": {"safebrowsing.enabled": False, "safebrowsing.enhanced": False}, "other-setting": {"enable_do_not_track": True}},
    ),
    "chrome/480bcfea-d68f-4aaa-a0a9-2589ef319381-wos": setting(
        _STATE,
        {"browser.enabled_labs_experiments": [f"{_HUD}@1"]},
        {
            "switched-off": {"browser.enabled_labs_experiments": [f"{_HUD}@2"]},
            "other-experiment": {"browser.enabled_labs_experiments": ["show-autofill-type-predictions@1"]},
        },
    ),
    "chrome/35253b65-1c19-4304-8aa4-6884b8218fc0-wos": CHROMES_SHORTCUT,
    "chrome/7b6c7e24-c58a-49fc-a5bb-d57b80e5b4c3-wos": cookies(CHROME),
    "msedge/5b46f4a4-1a78-4860-ad92-76e051fa7efc-wos": setting(
        _EDGES,
        {"default_search_provider.synced_guid": _GUID.format(92)},
        {
            "yahoo": {"default_search_provider.synced_guid": _GUID.format(2)},
            "google": {"default_search_provider.synced_guid": _GUID.format(3)},
        },
        BY_VERIFIER,
    ),
    "msedge/1a1ec621-b675-4099-96a9-f702dc27afb4-wos": setting(
        _EDGES, {"profile.name": "Thomas"}, {"other-name": {"profile.name": "Tomas"}, "longer-name": {"profile.name": "Thomas Smith"}}
    ),
    "msedge/1376d5e7-deb7-471a-9ecc-c5d4e155b0c8-wos": history(EDGE),
    "msedge/004587f8-6028-4656-94c1-681481abbc9c-wos": setting(
        _EDGES,
        {"enable_do_not_track": True},
        {"off-again": {"enable_do_not_track": False}, "other-setting": {"profile.cookie_controls_mode": 1}},
    ),
    "msedge/bd3e9ea0-a58a-45b3-97be-b418a7e2c0fd-WOS": EDGES_SHORTCUT,
    "msedge/2acd62b4-a2ab-44a7-a7e3-f5227bbd8324-wos": setting(
        _EDGES,
        {"webkit.webprefs.default_font_size": 24, "webkit.webprefs.default_fixed_font_size": 21},
        {
            "large": {"webkit.webprefs.default_font_size": 20, "webkit.webprefs.default_fixed_font_size": 17},
            "fixed-font": {"webkit.webprefs.default_fixed_font_size": 21},
        },
    ),
    "msedge/58f493b5-5a96-4450-99ca-7cebe144c7e5-wos": setting(
        _EDGES,
        {"download.default_directory": "C:\\"},
        {"below-it": {"download.default_directory": "C:\\Downloads"}, "other-drive": {"download.default_directory": "D:\\"}},
    ),
    "msedge/1c9d2c6c-ae4b-4359-9a93-9d3c42f48417-wos": setting(
        _EDGES,
        {_EXIT: _CLEARED},
        {"cookies-left": {_EXIT: {**_CLEARED, "cookies": False}}, "nothing": {_EXIT: dict.fromkeys(_CLEARED, False)}},
        BY_VERIFIER,
    ),
    "msedge/049d3788-c979-4ea6-934d-3a35c4630faf-WOS": marked(EDGE),
    "msedge/4d34ff3b-5cc8-44b2-a272-fb07927e996e-WOS": cookies(EDGE),
    "msedge/ccb22f83-0831-4655-b557-225144b70c71-wos": setting(
        _SECURE,
        {"homepage": "https://www.wikipedia.org/", "homepage_is_newtabpage": False, "browser.show_home_button": True},
        {
            "other-page": {"homepage": "https://en.wikipedia.org/", "homepage_is_newtabpage": False, "browser.show_home_button": True},
            "new-tab-page-instead": {
                "homepage": "https://www.wikipedia.org/",
                "homepage_is_newtabpage": True,
                "browser.show_home_button": True,
            },
        },
    ),
    "msedge/98cfcec4-c74e-4faa-b70d-664fb0a1d457-wos": setting(
        _EDGES,
        {"edge.super_duper_secure_mode.enabled": True},
        {"off-again": {"edge.super_duper_secure_mode.enabled": False}, "other-setting": {"enable_do_not_track": True}},
        BY_VERIFIER,
    ),
}
