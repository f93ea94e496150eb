"""Every getter of OSWorld's evaluators: what it reads, what it does to the machine first, whether it needs the live web.

Source: ``desktop_env/evaluators/getters`` as of 2026-04 and of the package ``desktop-env`` 1.0.2. Several "getters" act: they type
into an application, open tabs, launch Chrome or run commands.
"""

from __future__ import annotations

from dataclasses import dataclass

from unibench.errors import UnknownName
from unibench.kinds import DEVICE_STATE, PAGE_STATE, RUNTIME_GUI
from unibench_osworld.kinds import APP_CONFIG, FILE_PROPERTY

FILES = FILE_PROPERTY.name
APP = APP_CONFIG.name
DEVICE = DEVICE_STATE.name
PAGE = PAGE_STATE.name
GUI = RUNTIME_GUI.name


@dataclass(frozen=True)
class Getter:
    """A getter.

    Attributes:
        kind: the verifier kind of a metric that only compares values, when it reads through this getter.
        reads: what it looks at, in a few words.
        module: upstream's module that holds it, under ``evaluators/getters``.
        acts: what it does to the machine before it looks; empty if nothing.
        live: it reads the live web or a remote account, and so needs the network.
        literal: it gives what the task file says; nothing is read.
        machine: it reads the machine under test, so an agent can change it.
        windows: what of Windows it needs to be answered; empty if any machine with the files will do.
        owner: the project that owns it.
    """

    kind: str
    reads: str
    module: str
    acts: str = ""
    live: bool = False
    literal: bool = False
    machine: bool = True
    windows: str = ""
    owner: str = "xlang-ai/OSWorld"


_OPENS = "opens the page in a new tab"
_CHROME = "launches Chrome if it does not answer"
_ADDRESS = "address bar (accessibility tree)"

GETTERS: dict[str, Getter] = {
    # what the task file says
    "rule": Getter(FILES, "the task file's rule", "misc", literal=True, machine=False),
    "rule_relativeTime": Getter(FILES, "the task file's rule and the clock", "misc", literal=True, machine=False),
    "time_diff_range": Getter(FILES, "the task file's time range", "misc", literal=True, machine=False),
    # files
    "vm_file": Getter(FILES, "file", "file"),
    "cloud_file": Getter(FILES, "gold file", "file", machine=False),
    "cache_file": Getter(DEVICE, "output of a postconfig command", "file"),
    "content_from_vm_file": Getter(FILES, "file", "file"),
    "audio_in_slide": Getter(FILES, "sound in a presentation", "impress"),
    "background_image_in_slide": Getter(FILES, "background image in a presentation", "impress"),
    "conference_city_in_order": Getter(FILES, "file", "calc"),
    # the machine's state
    "vm_command_line": Getter(DEVICE, "output of a command", "general", acts="runs the command"),
    "vm_command_error": Getter(DEVICE, "errors of a command", "general", acts="runs the command"),
    "default_video_player": Getter(DEVICE, "default application for videos", "vlc", acts="runs xdg-mime"),
    "vm_wallpaper": Getter(DEVICE, "wallpaper", "info"),
    "list_directory": Getter(DEVICE, "folder listing", "info"),
    "vm_screen_size": Getter(DEVICE, "screen size", "info"),
    # running programs
    "accessibility_tree": Getter(GUI, "accessibility tree", "misc"),
    "vm_terminal_output": Getter(GUI, "terminal window (accessibility tree)", "general"),
    "vm_window_size": Getter(GUI, "size of a window", "info"),
    "vlc_playing_info": Getter(GUI, "VLC's status page", "vlc"),
    "replay": Getter(GUI, "nothing", "replay", acts="replays input"),
    # application settings and profiles
    "vlc_config": Getter(APP, "VLC's vlcrc", "vlc"),
    "gimp_config_file": Getter(APP, "GIMP's configuration", "gimp"),
    "vscode_config": Getter(APP, "VS Code, through a file that an extension writes", "vscode", acts="types a command into VS Code"),
    "default_search_engine": Getter(APP, "Chrome's Preferences", "chrome"),
    "profile_name": Getter(APP, "Chrome's Preferences", "chrome"),
    "chrome_language": Getter(APP, "Chrome's Local State", "chrome"),
    "chrome_font_size": Getter(APP, "Chrome's Preferences", "chrome"),
    "data_delete_automacally": Getter(APP, "Chrome's Preferences", "chrome"),
    "new_startup_page": Getter(APP, "Chrome's Preferences", "chrome"),
    "enable_do_not_track": Getter(APP, "Chrome's Preferences", "chrome"),
    "enable_safe_browsing": Getter(APP, "Chrome's Preferences", "chrome"),
    "enable_enhanced_safety_browsing": Getter(APP, "Chrome's Preferences", "chrome"),
    "enabled_experiments": Getter(APP, "Chrome's Local State", "chrome"),
    "find_unpacked_extension_path": Getter(APP, "Chrome's Preferences", "chrome"),
    "find_installed_extension_name": Getter(APP, "Chrome's Preferences", "chrome"),
    "chrome_appearance_mode_ui": Getter(APP, "Chrome's settings page", "chrome", acts="opens the settings page in a new tab"),
    "bookmarks": Getter(APP, "Chrome's Bookmarks", "chrome"),
    "cookie_data": Getter(APP, "Chrome's Cookies database", "chrome"),
    "history": Getter(APP, "Chrome's History database", "chrome"),
    "shortcuts_on_desktop": Getter(APP, "launchers on the desktop", "chrome", acts="runs commands that list them"),
    # pages
    "active_url_from_accessTree": Getter(PAGE, _ADDRESS, "chrome"),
    "active_tab_url_parse": Getter(PAGE, _ADDRESS, "chrome"),
    "url_path_parse": Getter(PAGE, _ADDRESS, "chrome"),
    "url_dashPart": Getter(PAGE, _ADDRESS, "chrome"),
    "macys_product_url_parse": Getter(PAGE, _ADDRESS, "chrome"),
    "open_tabs_info": Getter(PAGE, "Chrome's tabs", "chrome", acts=_CHROME),
    "active_tab_info": Getter(PAGE, "page at the active tab's address", "chrome", acts=_OPENS, live=True),
    "active_tab_html_parse": Getter(PAGE, "active tab's page", "chrome", acts=_CHROME, live=True),
    "page_info": Getter(PAGE, "page", "chrome", acts=_OPENS, live=True),
    "pdf_from_url": Getter(PAGE, "page, printed", "chrome", acts=_OPENS, live=True, machine=False),
    "info_from_website": Getter(PAGE, "page", "chrome", acts=_OPENS, live=True, machine=False),
    "gotoRecreationPage_and_get_html_content": Getter(PAGE, "page", "chrome", acts=_OPENS, live=True, machine=False),
    "number_of_search_results": Getter(PAGE, "page of search results", "chrome", acts=_OPENS, live=True),
    "googledrive_file": Getter(FILES, "file in a Google Drive", "chrome", live=True),
}


def getter(name: str) -> Getter:
    """The getter of that name.

    Raises:
        UnknownName: the table does not know it; a new upstream getter must be looked at before a task can be described.
    """
    try:
        return GETTERS[name]
    except KeyError:
        raise UnknownName.among("getter in unibench_osworld.getters", name, GETTERS) from None
