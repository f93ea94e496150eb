"""Device state: the desktop's settings, files and folders, the clipboard."""

from __future__ import annotations

from pydantic import JsonValue

from unibench.golden.control import Provenance, RecipeFailed
from unibench_golden_checks.osworld.settings import Recipe, printed, run, shell
from unibench_osworld.session import DesktopHandle

BY_SETTING = Provenance(source="instruction", means="shell", note="gsettings, which the desktop's own settings dialog calls as well")
BY_OTHER_SETTING = BY_SETTING.model_copy(
    update={
        "source": "verifier-data",
        "note": "the setting that the verifier takes as well: GNOME's own for dimming is not on this desktop",
    }
)
BY_SHELL = Provenance(source="instruction", means="shell")
_BUS = "export DBUS_SESSION_BUS_ADDRESS='unix:path=/run/user/1000/bus'; "


def gsetting(schema: str, key: str, wanted: str, provenance: Provenance = BY_SETTING, **mutants: str) -> Recipe:
    """One setting of the desktop.

    Args:
        wanted: its value, as gsettings prints it.
        mutants: nearly right states, as shell commands.
    """
    return Recipe(
        wanted=wanted,
        golden=shell(f'gsettings set {schema} {key} "{wanted}"'),
        read=printed(f"gsettings get {schema} {key}"),
        provenance=provenance,
        mutants={name.replace("_", "-"): shell(script) for name, script in mutants.items()},
    )


BY_RULE = Provenance(source="verifier-data", means="shell", note="there is no network here, so what the instruction has fetched is made up")


_RESTORED = "cd ~/.local/share/Trash; mv files/poster_party_night.webp ~/Desktop/; rm -f info/poster_party_night.webp.trashinfo"
"""What restoring does; gio's own command needs GVFS, which is not here."""
_SECRET = "/home/user/Data3/List3/secret.docx"
_PAPERS = ("1706.03762.pdf", "1802.05365.pdf", "1909.10351.pdf", "GLUE: A MULTI-TASK BENCHMARK AND ANALYSIS.pdf", "paper01.pdf")
_CODE = ("2-if-for-array", "assign1-data_python3")
_SORTED = (
    "cd ~/Desktop; mv *.pdf Paper_reading/; mv Paper_reading/DOC_* Paper_reading/Family* Miscellaneous/; "
    "mv 2-if-for-array assign1-data_python3 Projects/; mv *.ppt *.xlsx *.docx Miscellaneous/"
)
_SPEED = "mkdir -p ~/Test/Speed; printf 'Ping 12\\nDownload 93.41\\nUpload 38.20\\n' > ~/Test/Speed/results.txt"
_INTERFACE, _ACCESS = "org.gnome.desktop.interface", "org.gnome.desktop.a11y"
_DESKTOP = "~/Desktop"
_JPGS = "find ~/Desktop/photos -name '*.jpg'"


def _sorted_here(handle: DesktopHandle) -> list[JsonValue]:
    """The verifier compares what ``ls`` prints with the order of the official machine's locale, en_US.UTF-8."""
    if run(handle.guest, "printf 'DOC\\ncco\\n' | sort").split() != ["cco", "DOC"]:
        raise RecipeFailed("this desktop's locale sorts names in another order than the official machine's, and the verifier compares that")
    return shell(_SORTED)(handle)


def _sorted_well(listing: str) -> bool:
    """Whether papers and projects are where they belong, and the desktop holds folders only."""
    parts = {part.partition(":\n")[0]: part.partition(":\n")[2].splitlines() for part in listing.split("\n\n")}
    top = parts.get(".", [])
    return (
        sorted(parts.get("Paper_reading", [])) == sorted(_PAPERS)
        and sorted(each.rstrip("/") for each in parts.get("Projects", [])) == sorted(_CODE)
        and all(each.endswith("/") for each in top)
        and len(parts.get("Miscellaneous", [])) == 7
    )


def _shortcut(name: str, path: str) -> str:
    lines = ("[Desktop Entry]", "Type=Application", f"Name={name}", "Exec=google-chrome https://www.mathsisfun.com/games/2048.html")
    return f"printf '%s\\n' {' '.join(repr(line) for line in lines)} > {path}"


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
        on_and_off="for v in true false; do gsettings set org.gnome.desktop.screensaver lock-enabled $v; done",
    ),
    "os/bedcedc4-4d72-425e-ad62-21960b11fe0d": gsetting(
        "org.gnome.desktop.session",
        "idle-delay",
        "uint32 0",
        BY_OTHER_SETTING,
        longer="gsettings set org.gnome.desktop.session idle-delay 900",
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
        golden=shell(_RESTORED),
        read=printed(
            "cd ~; ls Desktop .local/share/Trash/files | tr '\\n' ' '; stat -c %s Desktop/poster_party_night.webp 2>/dev/null || true"
        ),
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
        read=printed(
            f"{_JPGS} -printf '%f\\n' | sort > /tmp/all; cd ~/Desktop/cpjpg; ls | sort | comm -3 - /tmp/all; stat -c %s * 2>/dev/null"
        ),
        right=lambda found: bool(found) and all(line.isdecimal() and int(line) > 0 for line in str(found).splitlines()),
        provenance=BY_SHELL,
        mutants={
            "one-missing": shell(f"{_JPGS} | sort | tail -n +2 | xargs -d '\\n' -I F cp F ~/Desktop/cpjpg/"),
            "all-files": shell("find ~/Desktop/photos -type f -exec cp {} ~/Desktop/cpjpg/ \\;"),
            "empty-files": shell(f"{_JPGS} -printf '%f\\n' | (cd ~/Desktop/cpjpg && xargs -d '\\n' touch)"),
        },
    ),
    "multi_apps/716a6079-22da-47f1-ba73-c9d58f986a38": Recipe(
        wanted=_SECRET,
        golden=shell(f"printf %s {_SECRET} | xsel --clipboard --input"),
        also={"with-line-end": shell(f"echo {_SECRET} | xsel --clipboard --input")},
        read=printed("xsel --clipboard --output"),
        provenance=BY_SHELL,
        mutants={
            "other-folder": shell("printf %s /home/user/Data4/List4/secret.docx | xsel --clipboard --input"),
            "other-file": shell(f"printf %s {_SECRET}.bak | xsel --clipboard --input"),
            "only-selected": shell(f"printf %s {_SECRET} | xsel --primary --input"),
        },
    ),
    "multi_apps/26660ad1-6ebb-4f59-8cba-a8432dfe8d38": Recipe(
        wanted="Ping 12, Download 93.41, Upload 38.20, a line each",
        golden=shell(_SPEED),
        read=printed("cat ~/Test/Speed/results.txt 2>/dev/null || echo none"),
        right=lambda found: (
            [(line.split()[:1], len(line.split())) for line in str(found).splitlines()]
            == [([name], 2) for name in ("Ping", "Download", "Upload")]
        ),
        provenance=BY_RULE,
        mutants={
            "one-missing": shell(_SPEED + "; sed -i /Upload/d ~/Test/Speed/results.txt"),
            "no-values": shell(_SPEED + "; sed -i 's/ .*//' ~/Test/Speed/results.txt"),
            "other-place": shell(_SPEED + "; mv ~/Test/Speed/results.txt ~/Test/"),
        },
    ),
    "multi_apps/f8369178-fafe-40c2-adc4-b9b08a125456": Recipe(
        wanted="'Orchis', and the theme is there",
        golden=shell(
            f"mkdir -p ~/.themes/Orchis/gtk-3.0; touch ~/.themes/Orchis/gtk-3.0/gtk.css; gsettings set {_INTERFACE} gtk-theme Orchis"
        ),
        read=printed(f"gsettings get {_INTERFACE} gtk-theme; ls ~/.themes 2>/dev/null || true"),
        right=lambda found: str(found).split() == ["'Orchis'", "Orchis"],
        provenance=BY_RULE,
        mutants={
            "only-named": shell(f"gsettings set {_INTERFACE} gtk-theme Orchis"),
            "only-there": shell("mkdir -p ~/.themes/Orchis/gtk-3.0; touch ~/.themes/Orchis/gtk-3.0/gtk.css"),
            "other-theme": shell(f"gsettings set {_INTERFACE} gtk-theme Adwaita-dark"),
        },
    ),
    "multi_apps/869de13e-bef9-4b91-ba51-f6708c40b096": Recipe(
        wanted={"papers": list(_PAPERS), "projects": list(_CODE)},
        golden=_sorted_here,
        read=printed("cd ~/Desktop; ls -p . Paper_reading Projects Miscellaneous"),
        right=lambda found: _sorted_well(str(found)),
        provenance=Provenance(
            source="verifier-data", means="shell", note="which files are papers is upstream's say; the files are stand-ins"
        ),
        mutants={
            "paper-among-others": shell(_SORTED + "; mv Paper_reading/paper01.pdf Miscellaneous/"),
            "one-left": shell(_SORTED + "; mv Miscellaneous/IA_Format.docx ."),
            "by-suffix": shell(
                "cd ~/Desktop; mv *.pdf Paper_reading/; mv 2-if-for-array assign1-data_python3 Projects/; mv *.* Miscellaneous/"
            ),
        },
    ),
    "chrome/35253b65-1c19-4304-8aa4-6884b8218fc0": Recipe(
        wanted="a .desktop file that opens the page, named as the page is",
        golden=shell(_shortcut("Play Puzzle Game 2048", "~/Desktop/chrome-2048-Default.desktop")),
        read=printed("cd ~; grep -H -e ^Name= Desktop/*.desktop 2>/dev/null || true"),
        right=lambda found: bool(found == "Desktop/chrome-2048-Default.desktop:Name=Play Puzzle Game 2048"),
        provenance=Provenance(
            source="verifier-data",
            means="file",
            note="the page's title is live, so the shortcut that Chromium makes of it is written by hand",
        ),
        mutants={
            "other-name": shell(_shortcut("2048", "~/Desktop/chrome-2048-Default.desktop")),
            "other-place": shell(_shortcut("Play Puzzle Game 2048", "~/.local/share/applications/chrome-2048-Default.desktop")),
            "no-shortcut": shell("echo 'Play Puzzle Game 2048' > ~/Desktop/2048.txt"),
        },
    ),
}
