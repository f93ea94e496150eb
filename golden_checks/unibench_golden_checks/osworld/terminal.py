"""Work in a terminal and what commands leave behind: GNOME Terminal, Bash, git, sound, the desktop's defaults."""

from __future__ import annotations

import json

from pydantic import JsonValue

from unibench.golden.control import Provenance
from unibench_golden_checks.osworld.device import BY_RULE, BY_SETTING, BY_SHELL, gsetting
from unibench_golden_checks.osworld.settings import Make, Recipe, by_hand, in_turn, printed, shell
from unibench_osworld.session import DesktopHandle

BY_TYPING = Provenance(source="instruction", means="gui", note="typed into GNOME Terminal")
PLAYERS = Provenance(
    source="instruction",
    means="shell",
    note="xdg-mime, which the settings dialog calls as well; VLC is this desktop's only player, so the browser is made the default before",
)


def typed(line: str, *, enter: bool = True) -> Make:
    """A line typed into the window that has the focus."""
    pressed = ["pyautogui.press('enter')"] if enter else []
    return by_hand("time.sleep(1)", f"pyautogui.write({line!r}, interval=0.01)", *pressed, "time.sleep(2)")


def in_terminal(folder: str, line: str) -> Make:
    """A line typed into a new terminal."""
    wait = "for i in $(seq 100); do wmctrl -xa gnome-terminal && exit; sleep 0.2; done; exit 1"
    opened = shell(f"gnome-terminal --maximize --working-directory={folder}; " + wait)
    return in_turn(opened, typed(line))


def shown(handle: DesktopHandle) -> JsonValue:
    """What the terminal shows."""
    return handle.guest.terminal() or ""


_PROFILE = (
    "P=org.gnome.Terminal.Legacy.Profile:/org/gnome/terminal/legacy/profiles:"
    '/:$(gsettings get org.gnome.Terminal.ProfilesList default | tr -d "\'")/; '
)
_REMOTE, _BINDER = "/home/user/projects/remote_project", "/home/user/projects/binder"


def _pushed(commit: str, push: str = "git push -q origin main") -> Make:
    return shell(f"cd {_BINDER} && {commit}; {push}")


_CONDA = (
    "mkdir -p ~/miniconda3/bin && printf '#!/bin/sh\\necho conda 24.1.2\\n' > ~/miniconda3/bin/conda && chmod +x ~/miniconda3/bin/conda; "
)
_INIT = "printf '%s\\n' '# >>> conda initialize >>>' 'export PATH=\"$HOME/miniconda3/bin:$PATH\"' '# <<< conda initialize <<<' >> "
_NEEDY = "import a_transformer\\nclass INSTRUCTOR: pass\\n"
_EMBEDDING = 'mkdir -p ~/instructor-embedding; D=$(python -m site --user-site)/InstructorEmbedding; mkdir -p "$D"; '


def _volume(percent: int) -> Make:
    return shell(
        f"pulseaudio --start; for i in $(seq 50); do pactl set-sink-volume @DEFAULT_SINK@ {percent}% && exit; sleep 0.2; done; exit 1"
    )


_TYPES = (
    *("3gp", "3gpp", "3gpp2", "avi", "divx", "dv", "fli", "flv", "mp2t", "mp4", "mp4v-es", "mpeg", "mpeg-system", "msvideo", "ogg"),
    *("quicktime", "vnd.divx", "vnd.mpegurl", "vnd.rn-realvideo", "webm", "x-anim", "x-avi", "x-flc", "x-fli", "x-flv", "x-m4v"),
    *("x-matroska", "x-mpeg", "x-mpeg-system", "x-mpeg2", "x-ms-asf", "x-ms-asf-plugin", "x-ms-asx", "x-ms-wm", "x-ms-wmv", "x-ms-wmx"),
    *("x-ms-wvx", "x-msvideo", "x-nsv", "x-ogm", "x-ogm+ogg", "x-theora", "x-theora+ogg"),
)
"""Those that VLC says it plays, and that the verifier asks after (``getters/vlc.py``, ``get_default_video_player``)."""


def _player(name: str, *types: str) -> Make:
    return shell(f"xdg-mime default {name}.desktop {' '.join(f'video/{each}' for each in types or _TYPES)}")


_BROWSER_PLAYS = _player("google-chrome")
EXTENSIONS = ("Zoom for Google Chrome", "Speechify — Text to Speech", "React Developer Tools", "Momentum", "Google Translate")
_PREFERENCES = "/home/user/.config/google-chrome/Default/Preferences"


def _extensions(*names: str) -> Make:
    settings = {chr(ord("a") + n) * 32: {"manifest": {"name": name, "version": "1.0"}, "state": 1} for n, name in enumerate(names)}
    code = (
        f"import json, pathlib; p = pathlib.Path({_PREFERENCES!r}); found = json.loads(p.read_text()) if p.exists() else dict(); "
        f"found.setdefault('extensions', dict())['settings'] = json.loads({json.dumps(json.dumps(settings))}); "
        "p.parent.mkdir(parents=True, exist_ok=True); p.write_text(json.dumps(found))"
    )
    # A browser that still runs writes its own preferences over these when it ends.
    ended = "pkill chrome; for i in $(seq 200); do pgrep -x chrome > /dev/null || break; sleep 0.1; done; ! pgrep -x chrome"
    return shell(f"{ended} && python3 -c {_quoted(code)}")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


_NAMES = (
    f"import json; found = json.load(open({_PREFERENCES!r}))['extensions']['settings'].values(); "
    "print(*sorted(each['manifest']['name'] for each in found), sep='\\n')"
)

TABLE: dict[str, Recipe] = {
    "os/ec4e3f68-9ea4-4c18-a5c9-69f89d1178b3": gsetting(
        "org.gnome.shell",
        "favorite-apps",
        "['thunderbird.desktop', 'google-chrome.desktop']",
        other_one_removed="gsettings set org.gnome.shell favorite-apps \"['thunderbird.desktop', 'vim.desktop']\"",
        two_removed="gsettings set org.gnome.shell favorite-apps \"['thunderbird.desktop']\"",
        moved_to_the_end="gsettings set org.gnome.shell favorite-apps \"['thunderbird.desktop', 'google-chrome.desktop', 'vim.desktop']\"",
    ),
    "os/28cc3b7e-b194-4bc9-8353-d04c0f4d56d2": Recipe(
        wanted="100%",
        golden=_volume(100),
        read=printed("pactl get-sink-volume @DEFAULT_SINK@ | head -1 | awk '{print $5}'"),
        provenance=BY_SHELL,
        mutants={"nearly": _volume(95), "softer": _volume(10)},
    ),
    "os/13584542-872b-42d8-b299-866967b5c3ef": Recipe(
        wanted="132 43",
        golden=shell(_PROFILE + "gsettings set $P default-size-columns 132; gsettings set $P default-size-rows 43"),
        read=printed(_PROFILE + "echo $(gsettings get $P default-size-columns) $(gsettings get $P default-size-rows)"),
        provenance=BY_SETTING,
        mutants={
            "columns-only": shell(_PROFILE + "gsettings set $P default-size-columns 132"),
            "rows-only": shell(_PROFILE + "gsettings set $P default-size-rows 43"),
            "this-window-only": shell("gnome-terminal --geometry=132x43; sleep 2"),
        },
    ),
    "os/4127319a-8b79-4410-b58a-7a151e15f3d7": Recipe(
        wanted="54 on a line of its own",
        golden=in_terminal("/home/user/project", "find . -name '*.php' | xargs cat | wc -l"),
        also={"with-names": in_terminal("/home/user/project", "find . -name '*.php' | xargs wc -l")},
        read=shown,
        right=lambda found: any(line.split() in (["54"], ["54", "total"]) for line in str(found).splitlines()),
        provenance=BY_TYPING,
        mutants={
            "top-folder-only": in_terminal("/home/user/project", "cat *.php | wc -l"),
            "all-files": in_terminal("/home/user/project", "find . -type f | xargs cat | wc -l"),
            "files-counted": in_terminal("/home/user/project", "find . -name '*.php' | wc -l"),
        },
    ),
    "multi_apps/2b9493d7-49b8-493a-a71b-56cd1f4d6908": Recipe(
        wanted="Writer ended by a command in the terminal",
        golden=typed("killall -9 soffice.bin"),
        also={"by-number": typed("kill -9 $(pgrep soffice)")},
        read=printed("sleep 1; pgrep -c soffice; cat ~/.bash_history"),
        right=lambda found: (
            str(found).split()[0] == "0" and any(line.startswith("kill") and "gedit" not in line for line in str(found).splitlines())
        ),
        provenance=BY_TYPING,
        mutants={
            "not-from-the-terminal": shell("killall -9 soffice.bin"),
            "other-program": typed("killall -9 gedit"),
            "typed-not-run": typed("killall -9 soffice.bin", enter=False),
        },
    ),
    "multi_apps/2c9fc0de-3ee7-45e1-a5df-c86206ad78b5": Recipe(
        wanted="daily update\nREADME.md\nnotes/today.md",
        golden=_pushed("git add -A && git commit -qm 'daily update'"),
        read=printed(f"cd {_REMOTE}; git log -1 --format=%s 2>/dev/null; git ls-tree -r --name-only HEAD 2>/dev/null || true"),
        provenance=BY_SHELL,
        mutants={
            "not-pushed": _pushed("git add -A && git commit -qm 'daily update'", "true"),
            "other-message": _pushed("git add -A && git commit -qm 'update'"),
            "other-branch": _pushed("git add -A && git commit -qm 'daily update'", "git push -q origin main:daily"),
            "nothing-added": _pushed("git commit -q --allow-empty -m 'daily update'"),
        },
    ),
    "multi_apps/48d05431-6cd5-4e76-82eb-12b60d823f7d": Recipe(
        wanted="conda answers in a new shell",
        golden=shell(f"{_CONDA}{_INIT}~/.bashrc"),
        read=printed("bash -ic 'conda --version' 2>/dev/null || true"),
        right=lambda found: str(found).startswith("conda "),
        provenance=BY_RULE,
        mutants={
            "not-initialized": shell(_CONDA),
            "for-another-shell": shell(f"{_CONDA}{_INIT}~/.zshrc"),
            "nothing-installed": shell(f"{_INIT}~/.bashrc"),
        },
    ),
    "multi_apps/937087b6-f668-4ba6-9110-60682ee33441": Recipe(
        wanted="vlc.desktop",
        golden=in_turn(_BROWSER_PLAYS, _player("vlc")),
        read=printed("for each in mp4 x-matroska quicktime x-msvideo; do xdg-mime query default video/$each; done | sort -u"),
        provenance=PLAYERS,
        start=_BROWSER_PLAYS,
        mutants={
            "one-type-only": in_turn(_BROWSER_PLAYS, _player("vlc", "mp4")),
            "for-music": in_turn(_BROWSER_PLAYS, shell("xdg-mime default vlc.desktop audio/mpeg audio/ogg")),
        },
    ),
    "multi_apps/69acbb55-d945-4927-a87b-8480e1a5bb7e": Recipe(
        wanted="imported",
        golden=shell(f'{_EMBEDDING}echo "class INSTRUCTOR: pass" > "$D/__init__.py"'),
        read=printed("python -c 'from InstructorEmbedding import INSTRUCTOR; print(\"imported\")' 2>&1 | tail -1"),
        provenance=BY_RULE,
        mutants={
            "class-missing": shell(f'{_EMBEDDING}touch "$D/__init__.py"'),
            "its-own-requirement-missing": shell(f'{_EMBEDDING}printf "{_NEEDY}" > "$D/__init__.py"'),
            "only-downloaded": shell(
                "mkdir -p ~/instructor-embedding/InstructorEmbedding; touch ~/instructor-embedding/InstructorEmbedding/__init__.py"
            ),
        },
    ),
    "multi_apps/873cafdd-a581-47f6-8b33-b9696ddb7b05": Recipe(
        wanted="\n".join(sorted(EXTENSIONS)),
        golden=_extensions(*EXTENSIONS),
        read=printed(f"python3 -c {_quoted(_NAMES)}"),
        provenance=Provenance(
            source="verifier-data",
            means="file",
            note="the shop is on the web, so what it leaves in the browser's preferences is written by hand",
        ),
        mutants={
            "one-missing": _extensions(*EXTENSIONS[:-1]),
            "another-of-that-kind": _extensions(*EXTENSIONS[:-1], "Google Translator"),
        },
    ),
}
