"""Device state: the desktop's settings, files and folders, the clipboard."""

from __future__ import annotations

from unibench.golden.control import Provenance
from unibench_golden_checks.osworld.settings import Recipe, printed, shell

BY_SETTING = Provenance(source="instruction", means="shell", note="gsettings, which the desktop's own settings dialog calls as well")
BY_SHELL = Provenance(source="instruction", means="shell")
_BUS = "export DBUS_SESSION_BUS_ADDRESS='unix:path=/run/user/1000/bus'; "


def gsetting(schema: str, key: str, wanted: str, **mutants: str) -> Recipe:
    """One setting of the desktop.

    Args:
        wanted: its value, as gsettings prints it.
        mutants: nearly right states, as shell commands.
    """
    return Recipe(
        wanted=wanted,
        golden=shell(f'gsettings set {schema} {key} "{wanted}"'),
        read=printed(f"gsettings get {schema} {key}"),
        provenance=BY_SETTING,
        mutants={name.replace("_", "-"): shell(script) for name, script in mutants.items()},
    )


_INTERFACE, _ACCESS = "org.gnome.desktop.interface", "org.gnome.desktop.a11y"
_DESKTOP = "~/Desktop"
_JPGS = "find ~/Desktop/photos -name '*.jpg'"

TABLE: dict[str, Recipe] = {
    "os/3ce045a0-877b-42aa-8d2c-b4a863336ab8": Recipe(
        wanted="larger text or the magnifier",
        golden=shell(f"gsettings set {_INTERFACE} text-scaling-factor 1.5"),
        also={
            "magnifier": shell(
                f"gsettings set {_ACCESS}.applications screen-magnifier-enabled true; gsettings set {_ACCESS}.magnifier mag-factor 2.0"
            ),
            "large-text": shell(f"gsettings set {_INTERFACE} text-scaling-factor 1.25"),
        },
        read=printed(
            f"gsettings get {_INTERFACE} text-scaling-factor; gsettings get {_ACCESS}.applications screen-magnifier-enabled; "
            f"gsettings get {_ACCESS}.magnifier mag-factor"
        ),
        right=lambda found: float(str(found).split()[0]) >= 1.2 or (str(found).split()[1] == "true" and float(str(found).split()[2]) > 1.1),
        provenance=BY_SETTING,
        mutants={
            "smaller-text": shell(f"gsettings set {_INTERFACE} text-scaling-factor 0.8"),
            "other-setting": shell(f"gsettings set {_INTERFACE} cursor-size 48"),
            "magnifier-without-zoom": shell(
                f"gsettings set {_ACCESS}.applications screen-magnifier-enabled true; gsettings set {_ACCESS}.magnifier mag-factor 1.0"
            ),
        },
    ),
    "os/a4d98375-215b-4a4d-aee9-3d4370fccc41": gsetting(
        "org.gnome.desktop.screensaver",
        "lock-enabled",
        "true",
        other_setting="gsettings set org.gnome.desktop.screensaver idle-activation-enabled true",
        on_and_off="gsettings set org.gnome.desktop.screensaver lock-enabled true; gsettings set org.gnome.desktop.screensaver lock-enabled false",
    ),
    "os/bedcedc4-4d72-425e-ad62-21960b11fe0d": gsetting(
        "org.gnome.desktop.session", "idle-delay", "uint32 0", longer="gsettings set org.gnome.desktop.session idle-delay 900"
    ),
    "os/f9be0997-4b7c-45c5-b05c-4612b44a6118": gsetting(
        "org.gnome.desktop.notifications",
        "show-banners",
        "false",
        other_setting="gsettings set org.gnome.desktop.notifications show-in-lock-screen false",
    ),
    "os/e0df059f-28a6-4169-924f-b9623e7184cc": Recipe(
        wanted="todo_list_Jan_2",
        golden=shell("mv ~/Desktop/todo_list_Jan_1 ~/Desktop/todo_list_Jan_2"),
        read=printed("cd ~/Desktop && ls -d todo_list*"),
        provenance=BY_SHELL,
        mutants={
            "made-beside": shell("mkdir ~/Desktop/todo_list_Jan_2"),
            "other-name": shell("mv ~/Desktop/todo_list_Jan_1 ~/Desktop/todo_list_Jan2"),
        },
    ),
    "os/5ea617a3-0e86-4ba6-aab2-dac9aa2e8d57": Recipe(
        wanted="the poster on the desktop, nothing in the trash",
        golden=shell("gio trash --restore trash:///poster_party_night.webp"),
        read=printed("cd ~; ls Desktop .local/share/Trash/files | tr '\\n' ' '; stat -c %s Desktop/poster_party_night.webp 2>/dev/null || true"),
        right=lambda found: bool(str(found).split()[1:2] == ["poster_party_night.webp"]) and int(str(found).split()[-1]) > 0,
        provenance=BY_SHELL,
        mutants={
            "other-place": shell("mv ~/.local/share/Trash/files/poster_party_night.webp ~/poster_party_night.webp"),
            "empty-file": shell("touch ~/Desktop/poster_party_night.webp"),
        },
    ),
    "os/23393935-50c7-4a86-aeea-2b78fd089c5c": Recipe(
        wanted="every .jpg of photos, copied",
        golden=shell(f"{_JPGS} -exec cp {{}} ~/Desktop/cpjpg/ \\;"),
        read=printed(f"{_JPGS} -printf '%f\\n' | sort > /tmp/all; cd ~/Desktop/cpjpg; ls | sort | comm -3 - /tmp/all; stat -c %s * 2>/dev/null"),
        right=lambda found: bool(found) and all(line.isdecimal() and int(line) > 0 for line in str(found).splitlines()),
        provenance=BY_SHELL,
        mutants={
            "one-missing": shell(f"{_JPGS} | sort | tail -n +2 | xargs -d '\\n' -I F cp F ~/Desktop/cpjpg/"),
            "all-files": shell("find ~/Desktop/photos -type f -exec cp {} ~/Desktop/cpjpg/ \\;"),
            "empty-files": shell(f"{_JPGS} -printf '%f\\n' | (cd ~/Desktop/cpjpg && xargs -d '\\n' touch)"),
        },
    ),
}
