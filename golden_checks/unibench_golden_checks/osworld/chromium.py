"""Chromium's settings and bookmarks, made by what its own settings pages call; the browser decides what its profile then says."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import Any

from pydantic import JsonValue

from unibench.golden.control import Provenance, RecipeFailed
from unibench_golden_checks.osworld.browser import Browser
from unibench_golden_checks.osworld.settings import Make, Read, Recipe, by_hand, keys, run, shell
from unibench_osworld.session import DesktopHandle

BY_SETTINGS_PAGE = Provenance(
    source="app", means="script-write", note="the browser's own settings page made the change; the browser wrote its profile when it ended"
)
_SETTINGS, _BOOKMARKS = "chrome://settings/", "chrome://bookmarks/"
_BOOKMARKS_FILE, _BOOKMARKS_SECONDS = "~/.config/google-chrome/Default/Bookmarks", 20.0
_BAR, _OTHER = "1", "2"
"""The ids of the bookmarks bar and of "Other bookmarks"."""
_ROOTS = {"bar": "bookmark_bar", "other": "other"}
"""What the browser's file calls them."""


def on_page(url: str, *scripts: str) -> Make:
    """A state that scripts on one of the browser's own pages make."""

    def make(handle: DesktopHandle) -> list[JsonValue]:
        with Browser(handle).page(url) as page:
            for script in scripts:
                page.script(script)
        return [[url, script] for script in scripts]

    return make


def asked(url: str, script: str) -> Read:
    """A state that a script on one of the browser's own pages reads, in a tab that was not there before."""

    def read(handle: DesktopHandle) -> Any:
        with Browser(handle).page(url) as page:
            return page.script(script)

    return read


def at_rest(handle: DesktopHandle) -> list[JsonValue]:
    """The browser has come up: its settings page can be looked at. Ended before that, it has written no profile at all."""
    with Browser(handle).page(_SETTINGS) as page:
        page.script("chrome.settingsPrivate.getAllPrefs().then(all => all.length)")
    return []


def pref(name: str, value: JsonValue) -> str:
    """A preference, set as the settings page does it; it throws where the browser refuses."""
    made = f"chrome.settingsPrivate.setPref({json.dumps(name)}, {json.dumps(value)}, '')"
    return f"{made}.then(done => {{ if (!done) throw new Error('refused'); }})"


def prefs(*names: str) -> Read:
    """Preferences by name, as the browser holds them."""
    return asked(
        _SETTINGS,
        f"Promise.all({json.dumps(names)}.map(n => chrome.settingsPrivate.getPref(n))).then(all => "
        "Object.fromEntries(all.map(one => [one.key, one.value])))",
    )


def setting(wanted: dict[str, JsonValue], mutants: dict[str, dict[str, JsonValue]], **more: Any) -> Recipe:
    """Preferences that must have these values; the mutants set others, or none that counts."""

    def setting_them(values: dict[str, JsonValue]) -> Make:
        return on_page(_SETTINGS, *(pref(name, value) for name, value in values.items()))

    return Recipe(
        wanted=wanted,
        golden=setting_them(wanted),
        read=prefs(*wanted),
        provenance=BY_SETTINGS_PAGE,
        mutants={name: setting_them(values) for name, values in mutants.items()},
        start=at_rest,
        **more,
    )


# -- search engine and name --------------------------------------------------------------------

_ENGINES = "const m = await import('chrome://settings/settings.js'); const p = m.SearchEnginesBrowserProxyImpl.getInstance();"
_DEFAULT_ENGINE = asked(
    "chrome://settings/searchEngines",
    f"(async () => {{ {_ENGINES} const l = await p.getSearchEnginesList(); return l.defaults.find(e => e.default).name; }})()",
)


def engine(name: str) -> Make:
    """The search engine of that name is made the default one."""
    return on_page(
        "chrome://settings/searchEngines",
        f"(async () => {{ {_ENGINES} const l = await p.getSearchEnginesList(); "
        f"const e = l.defaults.find(e => e.name === {json.dumps(name)}); "
        "p.setDefaultSearchEngine(e.id ?? e.modelIndex, m.ChoiceMadeLocation.SEARCH_ENGINE_SETTINGS, false); "
        "for (let n = 0; n < 50; n++) { const now = await p.getSearchEnginesList(); "
        f"if (now.defaults.find(e => e.default).name === {json.dumps(name)}) return; await new Promise(r => setTimeout(r, 50)); }} "
        "throw new Error('the default engine did not change'); })()",
    )


_PROFILES = "const m = await import('chrome://settings/settings.js'); const p = m.ProfileInfoBrowserProxyImpl.getInstance();"


def named(name: str) -> Make:
    """The profile is called so."""
    return on_page(
        "chrome://settings/manageProfile",
        f"chrome.send('setProfileName', [{json.dumps(name)}])",
        f"(async () => {{ {_PROFILES} for (let n = 0; n < 100; n++) {{ if ((await p.getProfileInfo()).name === {json.dumps(name)}) return; "
        "await new Promise(r => setTimeout(r, 50)); } throw new Error('the profile is not called so'); })()",
    )


_NAME = asked(
    "chrome://settings/",
    f"(async () => {{ {_PROFILES} return (await p.getProfileInfo()).name; }})()",
)


# -- bookmarks ---------------------------------------------------------------------------------


def bookmark(**node: str) -> str:
    """A bookmark or, without a URL, a folder is made."""
    return f"chrome.bookmarks.create({json.dumps(node)})"


def bookmarks(handle: DesktopHandle) -> JsonValue:
    """What is on the bookmarks bar and in "Other bookmarks": titles of folders, with what is in them, and addresses."""
    script = (
        "chrome.bookmarks.getTree().then(([root]) => { const show = n => n.url ?? {[n.title]: n.children.map(show)}; "
        "return Object.fromEntries(root.children.map(n => [n.id, n.children.map(show)])); })"
    )
    with Browser(handle).page(_BOOKMARKS) as page:
        found: dict[str, JsonValue] = page.script(script)
    marks: JsonValue = {"bar": found.get(_BAR, []), "other": found.get(_OTHER, [])}
    # Chromium writes bookmarks 2.5 s after the change, and not at all if it is ended before; upstream waits for 20 s.
    until = time.monotonic() + _BOOKMARKS_SECONDS
    while (written := _written(handle)) != marks:
        if time.monotonic() > until:
            raise RecipeFailed(f"the browser holds {marks}, its file {written}")
        time.sleep(0.2)
    return marks


def _written(handle: DesktopHandle) -> JsonValue:
    """The bookmarks in the browser's file; it has none before the first change."""
    roots = json.loads(run(handle.guest, f"cat {_BOOKMARKS_FILE} 2> /dev/null || echo '{{}}'")).get("roots", {})

    def show(node: dict[str, Any]) -> JsonValue:
        return node["url"] if node["type"] == "url" else {node["name"]: [show(each) for each in node["children"]]}

    return {name: [show(each) for each in roots.get(root, {}).get("children", [])] for name, root in _ROOTS.items()}


def on_bar(*children: JsonValue) -> Callable[[Any], bool]:
    """Whether the bar holds exactly these, whatever else there is."""
    return lambda found: bool(found["bar"] == list(children))


def marked(wanted: JsonValue, golden: Sequence[str], mutants: dict[str, Sequence[str]]) -> Recipe:
    """Bookmarks on the bar."""
    return Recipe(
        wanted={"bar": [wanted], "other": []},
        golden=on_page(_BOOKMARKS, *golden),
        read=bookmarks,
        right=on_bar(wanted),
        provenance=BY_SETTINGS_PAGE,
        mutants={name: on_page(_BOOKMARKS, *scripts) for name, scripts in mutants.items()},
        start=at_rest,
    )


_OFF, _STANDARD, _ENHANCED = 0, 1, 2
"""Values of ``generated.safe_browsing``."""
_ILLUSTRATED, _ROTARY = "https://jalammar.github.io/illustrated-transformer/", "https://blog.eleuther.ai/rotary-embeddings/"

_AUTHORS = (
    "https://jimfan.me/",
    "https://research.nvidia.com/person/de-an-huang",
    "https://www.cs.utexas.edu/people/faculty-researchers/yuke-zhu",
    "https://tensorlab.cms.caltech.edu/users/anima/",
)


def folder_of(title: str, *urls: str) -> str:
    """A folder on the bookmarks bar, with these pages in it."""
    into = "urls.reduce((done, url) => done.then(() => chrome.bookmarks.create({parentId: folder.id, title: url, url})), Promise.resolve())"
    return f"{bookmark(parentId=_BAR, title=title)}.then(folder => {{ const urls = {json.dumps(urls)}; return {into}; }})"


# -- an unpacked extension ---------------------------------------------------------------------

_OPEN = ("pyautogui.click(1472, 934)",)
"""The dialog's button Open, on a screen of 1920x1080."""
_EXTENSIONS = "chrome://extensions/"
BY_DIALOG = Provenance(
    source="app",
    means="real-input",
    note="the folder is entered in the dialog that the browser's extensions page opens; developer mode is on",
)


def unpacked(folder: str, developer: bool = True) -> Make:
    """The folder is chosen in the dialog behind "Load unpacked"."""

    def make(handle: DesktopHandle) -> list[JsonValue]:
        mode = f"chrome.developerPrivate.updateProfileConfiguration({{inDeveloperMode: {json.dumps(developer)}}})"
        with Browser(handle).page(_EXTENSIONS) as page:
            page.script(mode)
            page.call("Page.bringToFront")
            page.script(
                "void chrome.developerPrivate.loadUnpacked({failQuietly: true, populateError: true}).catch(e => { window.said = e; })"
            )
            chosen = by_hand(
                "time.sleep(2)",
                "import subprocess",
                "subprocess.run(['wmctrl', '-a', 'Select the extension'])",
                "time.sleep(0.5)",
                keys("ctrl", "l"),
                "time.sleep(0.5)",
                f"pyautogui.write({folder!r}, interval=0.02)",
                "pyautogui.press('end')",
                "time.sleep(0.5)",
                *_OPEN,
                "time.sleep(2)",
            )(handle)
        # Chromium writes its profile up to 10 s after a change; this task's verifier does not end it before. Upstream waits for 20 s.
        written = f"for n in $(seq 120); do grep -q {folder} ~/.config/google-chrome/Default/Preferences && exit; sleep 0.25; done; exit 1"
        run(handle.guest, written)
        return [[_EXTENSIONS, mode, "loadUnpacked"], *chosen]

    return make


_LOADED = asked(
    _EXTENSIONS,
    "chrome.developerPrivate.getExtensionsInfo({includeDisabled: true})"
    ".then(all => all.filter(e => e.location === 'UNPACKED').map(e => e.path))",
)
_HELLO = "/home/user/Desktop/helloExtension"
_COPY = "/home/user/helloExtension"


def _copied(handle: DesktopHandle) -> list[JsonValue]:
    return shell(f"cp -r {_HELLO} {_COPY}")(handle) + unpacked(_COPY)(handle)


def hello_extension() -> Recipe:
    """The extension that lies unpacked on the desktop is loaded."""
    return Recipe(
        wanted=[_HELLO],
        golden=unpacked(_HELLO),
        read=_LOADED,
        provenance=BY_DIALOG,
        start=at_rest,
        mutants={
            "other-folder": _copied,
            "only-developer-mode": on_page(_EXTENSIONS, "chrome.developerPrivate.updateProfileConfiguration({inDeveloperMode: true})"),
        },
    )


TABLE: dict[str, Recipe] = {
    "chrome/030eeff7-b492-4218-b312-701ec99ee0cc": setting(
        {"enable_do_not_track": True},
        {"other-setting": {"profile.cookie_controls_mode": 1, "safebrowsing.enabled": True}, "off-again": {"enable_do_not_track": False}},
    ),
    "chrome/2ad9387a-65d8-4e33-ad5b-7580065a27ca": marked(
        {"Favorites": []},
        [bookmark(parentId=_BAR, title="Favorites")],
        {
            "other-name": [bookmark(parentId=_BAR, title="Favourites")],
            "other-place": [bookmark(parentId=_OTHER, title="Favorites")],
            "no-folder": [bookmark(parentId=_BAR, title="Favorites", url="https://example.com/")],
        },
    ),
    "chrome/7a5a7856-f1b6-42a4-ade9-1ca81ca0f263": marked(
        _ILLUSTRATED,
        [bookmark(parentId=_BAR, title="The Illustrated Transformer", url=_ILLUSTRATED)],
        {
            "other-page": [bookmark(parentId=_BAR, title="Rotary Embeddings", url=_ROTARY)],
            "other-place": [bookmark(parentId=_OTHER, title="The Illustrated Transformer", url=_ILLUSTRATED)],
            "folder-of-that-name": [bookmark(parentId=_BAR, title=_ILLUSTRATED)],
        },
    ),
    "chrome/2ae9ba84-3a0d-4d4c-8338-3a1478dc5fe3": Recipe(
        wanted="Thomas",
        golden=named("Thomas"),
        read=_NAME,
        provenance=BY_SETTINGS_PAGE,
        start=at_rest,
        mutants={"other-name": named("Tomas"), "longer-name": named("Thomas Smith")},
    ),
    "chrome/3299584d-8f11-4457-bf4c-ce98f7600250": setting(
        {"session.restore_on_startup": 5},
        {"continues": {"session.restore_on_startup": 1}, "other-page": {"session.startup_urls": ["http://example.com/"]}},
    ),
    "chrome/9656a811-9b5b-4ddf-99c7-5117bcef0626": Recipe(
        wanted={"safebrowsing.enabled": True},
        golden=on_page(_SETTINGS, pref("generated.safe_browsing", _STANDARD)),
        also={"enhanced": on_page(_SETTINGS, pref("generated.safe_browsing", _ENHANCED))},
        read=prefs("safebrowsing.enabled"),
        provenance=BY_SETTINGS_PAGE,
        start=at_rest,
        mutants={
            "off-again": on_page(_SETTINGS, pref("generated.safe_browsing", _STANDARD), pref("generated.safe_browsing", _OFF)),
            "other-setting": on_page(_SETTINGS, pref("enable_do_not_track", True)),
        },
    ),
    "chrome/99146c54-4f37-4ab8-9327-5f3291665e1e": setting(
        {"generated.cookie_default_content_setting": "session_only"},
        {"blocks": {"generated.cookie_default_content_setting": "block"}, "other-setting": {"enable_do_not_track": True}},
    ),
    "chrome/af630914-714e-4a24-a7bb-f9af687d3b91": setting(
        {"webkit.webprefs.default_font_size": 24},
        {
            "large": {"webkit.webprefs.default_font_size": 20},
            "small": {"webkit.webprefs.default_font_size": 12},
            "fixed-font": {"webkit.webprefs.default_fixed_font_size": 24},
        },
    ),
    "chrome/bb5e4c0d-f964-439c-97b6-bdb9747de3f4": Recipe(
        wanted="Microsoft Bing",
        golden=engine("Microsoft Bing"),
        read=_DEFAULT_ENGINE,
        provenance=BY_SETTINGS_PAGE,
        start=at_rest,
        mutants={"other-engine": engine("Yahoo!")},
    ),
    "chrome/6766f2b8-8a72-417f-a9e5-56fcaa735837": hello_extension(),
    "multi_apps/a74b607e-6bb5-4ea8-8a7c-5d97c7bbcd2a": hello_extension(),
    "multi_apps/a82b78bb-7fde-4cb3-94a4-035baf10bcf0": marked(
        {"Liked Authors": list(_AUTHORS)},
        [folder_of("Liked Authors", *_AUTHORS)],
        {
            "one-missing": [folder_of("Liked Authors", *_AUTHORS[:3])],
            "other-folder": [folder_of("Favorite Authors", *_AUTHORS)],
            "no-folder": [bookmark(parentId=_BAR, title=url, url=url) for url in _AUTHORS],
        },
    ),
}
