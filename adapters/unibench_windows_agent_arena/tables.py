"""What WindowsAgentArena adds to OSWorld's metrics and getters.

Source: ``src/win-arena-container/client/desktop_env/evaluators`` at 6d39ed8. ``windows`` says what of Windows answers a getter;
where it is empty, the getter reads files, and a machine with the same files would do.
"""

from __future__ import annotations

from unibench.errors import UnknownName
from unibench.kinds import DEVICE_STATE, RUNTIME_GUI
from unibench_osworld.getters import GETTERS, Getter
from unibench_osworld.kinds import APP_CONFIG, FILE_PROPERTY
from unibench_osworld.metrics import APP, BINARY, METRICS, Metric

OWNER = "microsoft/WindowsAgentArena"
_FILES, _APP, _DEVICE, _GUI = FILE_PROPERTY.name, APP_CONFIG.name, DEVICE_STATE.name, RUNTIME_GUI.name
_REGISTRY = "the registry, through PowerShell"
_UIA = "UI Automation"
_WIN32 = "Win32's file attributes, rights or Explorer"


def _getter(kind: str, reads: str, module: str, *, windows: str = "", acts: str = "") -> Getter:
    return Getter(kind, reads, module, acts=acts, windows=windows, owner=OWNER)


WINDOWS_GETTERS: dict[str, Getter] = {
    # clock
    "check_if_timer_started": _getter(_GUI, "timers in Clock", "clock", windows=_UIA),
    "check_if_world_clock_exists": _getter(_GUI, "world clocks in Clock", "clock", windows=_UIA),
    # Microsoft Edge
    "enable_do_not_track_from_edge": _getter(_APP, "Edge's Preferences", "msedge"),
    "favorites": _getter(_APP, "Edge's Bookmarks", "msedge"),
    "history_for_edge": _getter(_APP, "Edge's History database", "msedge"),
    "profile_name_from_edge": _getter(_APP, "Edge's Preferences", "msedge"),
    "data_delete_automacally_from_edge": _getter(_APP, "Edge's Preferences", "msedge"),
    "edge_font_size": _getter(_APP, "Edge's Preferences", "msedge"),
    "cookie_data_for_edge": _getter(_APP, "Edge's Cookies database", "msedge", acts="ends Edge"),
    "edge_default_download_folder": _getter(_APP, "Edge's Preferences", "msedge"),
    "default_search_engine_from_edge": _getter(_APP, "Edge's Preferences", "msedge"),
    "enable_enhanced_safety_browsing_from_edge": _getter(_APP, "Edge's Preferences", "msedge"),
    "validate_pwa_installed": _getter(_APP, "Edge's installed web apps", "msedge", windows="PowerShell", acts="runs PowerShell"),
    "url_shortcuts_on_desktop": _getter(_APP, "shortcuts on the desktop", "msedge"),
    "edge_home_page": _getter(_APP, "Edge's Preferences", "msedge"),
    # File Explorer
    "all_png_file_names": _getter(_FILES, "a folder's names and a text file", "fileexplorer"),
    "is_all_docx_in_archive": _getter(_FILES, "a folder", "fileexplorer"),
    "vm_folder_exists_in_documents": _getter(_DEVICE, "the folder Documents", "fileexplorer"),
    "vm_library_folders": _getter(_DEVICE, "a library's folders", "fileexplorer", windows=_WIN32),
    "vm_file_exists_in_desktop": _getter(_DEVICE, "the desktop's files", "fileexplorer"),
    "vm_file_exists_in_vm_folder": _getter(_DEVICE, "a folder's files", "fileexplorer"),
    "vm_active_window_title": _getter(_GUI, "title of the window in front", "fileexplorer", windows=_UIA),
    "are_all_images_tagged": _getter(_FILES, "tags of images", "fileexplorer", windows=_WIN32),
    "are_files_sorted_by_modified_time": _getter(_GUI, "order in an Explorer window", "fileexplorer", windows=_UIA),
    "is_details_view": _getter(_GUI, "view of an Explorer window", "fileexplorer", windows=_UIA),
    "is_directory_read_only_for_user": _getter(_DEVICE, "rights on a folder", "fileexplorer", windows=_WIN32),
    "is_file_hidden": _getter(_DEVICE, "a file's attributes", "fileexplorer", windows=_WIN32),
    "is_file_desktop": _getter(_DEVICE, "the desktop's files", "fileexplorer"),
    "is_file_saved_desktop": _getter(_FILES, "a text file on the desktop", "fileexplorer"),
    "is_files_moved_downloads": _getter(_DEVICE, "a folder in Downloads", "fileexplorer"),
    "zipped_folder_in_desktop": _getter(_FILES, "an archive on the desktop", "fileexplorer"),
    # Paint
    "is_red_circle_present_on_canvas": _getter(_FILES, "an image", "microsoftpaint"),
    "image_dimension_matches_input": _getter(_FILES, "an image", "microsoftpaint"),
    # settings
    "system_notifications": _getter(_DEVICE, "a registry value", "settings", windows=_REGISTRY, acts="runs PowerShell"),
    "night_light_state": _getter(_DEVICE, "a registry value", "settings", windows=_REGISTRY, acts="runs PowerShell"),
    "system_timezone": _getter(_DEVICE, "the time zone", "settings", windows="PowerShell", acts="runs PowerShell"),
    "desktop_background": _getter(_DEVICE, "a registry value", "settings", windows=_REGISTRY, acts="runs PowerShell"),
    "storage_sense_run_frequency": _getter(_DEVICE, "a registry value", "settings", windows=_REGISTRY, acts="runs PowerShell"),
}

WINDOWS_METRICS: dict[str, Metric] = {
    "check_edge_font_size": Metric(APP, BINARY, "msedge", owner=OWNER),
    "is_url_shortcut_on_desktop": Metric(APP, BINARY, "msedge", owner=OWNER),
    "check_qt_video_resize": Metric(APP, BINARY, "vlc", owner=OWNER),
}


def metric(name: str) -> Metric:
    """The metric of that name, OSWorld's or WindowsAgentArena's own.

    Raises:
        UnknownName: neither table knows it.
    """
    try:
        return WINDOWS_METRICS.get(name) or METRICS[name]
    except KeyError:
        raise UnknownName.among("metric of WindowsAgentArena", name, {**METRICS, **WINDOWS_METRICS}) from None


def getter(name: str) -> Getter:
    """The getter of that name, OSWorld's or WindowsAgentArena's own.

    Raises:
        UnknownName: neither table knows it.
    """
    try:
        return WINDOWS_GETTERS.get(name) or GETTERS[name]
    except KeyError:
        raise UnknownName.among("getter of WindowsAgentArena", name, {**GETTERS, **WINDOWS_GETTERS}) from None


def tables() -> tuple[frozenset[str], frozenset[str]]:
    """The names of all metrics and of all getters."""
    return frozenset({**METRICS, **WINDOWS_METRICS}), frozenset({**GETTERS, **WINDOWS_GETTERS})
