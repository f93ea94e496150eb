"""What a local desktop is made of: Debian's packages, what is missing, and the digest that names the machine."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from unibench.errors import Unavailable
from unibench.record import digest
from unibench.settings import Substrate

HERE = Path(__file__).parent
HOME = HERE / "home"
GUEST = HERE / "guest"
SYSTEM_PYTHON = Path("/usr/bin/python3")

# The session; each with a file that shows that it is there.
SESSION = {
    "bubblewrap": "/usr/bin/bwrap",
    "xvfb": "/usr/bin/Xvfb",
    "openbox": "/usr/bin/openbox",
    "wmctrl": "/usr/bin/wmctrl",
    "xdotool": "/usr/bin/xdotool",
    "dbus": "/usr/bin/dbus-daemon",
    "at-spi2-core": "/usr/share/dbus-1/services/org.a11y.Bus.service",
    "libglib2.0-bin": "/usr/bin/gdbus",
    "gir1.2-atspi-2.0": "/usr/share/doc/gir1.2-atspi-2.0",
    "python3-gi": "/usr/lib/python3/dist-packages/gi",
    "python3-dbus": "/usr/lib/python3/dist-packages/dbus",
    "python3-pyatspi": "/usr/lib/python3/dist-packages/pyatspi",
    "python3-xlib": "/usr/lib/python3/dist-packages/Xlib",
    "python3-tk": "/usr/share/doc/python3-tk",
    "python3-pil": "/usr/lib/python3/dist-packages/PIL",
    "python3-uno": "/usr/lib/python3/dist-packages/uno.py",
    "procps": "/usr/bin/pkill",
    "psmisc": "/usr/bin/killall",
    "socat": "/usr/bin/socat",
    "xdg-utils": "/usr/bin/xdg-open",
    "xclip": "/usr/bin/xclip",
    "scrot": "/usr/bin/scrot",
    "dconf-gsettings-backend": "/usr/share/doc/dconf-gsettings-backend",
    "gsettings-desktop-schemas": "/usr/share/doc/gsettings-desktop-schemas",
    "fonts-dejavu-core": "/usr/share/fonts/truetype/dejavu",
    "fonts-liberation": "/usr/share/fonts/truetype/liberation",
}
APPLICATIONS = {
    "libreoffice-calc": "/usr/lib/libreoffice/program/libsclo.so",
    "libreoffice-writer": "/usr/lib/libreoffice/program/libswlo.so",
    "libreoffice-impress": "/usr/lib/libreoffice/program/libsdlo.so",
    "libreoffice-gtk3": "/usr/lib/libreoffice/program/libvclplug_gtk3lo.so",
    "chromium": "/usr/lib/chromium/chromium",
}
# Used where they are installed; a task that needs one is unavailable where it is not.
MORE_APPLICATIONS = {
    "gimp": "/usr/bin/gimp",
    "vlc": "/usr/bin/vlc",
    "thunderbird": "/usr/bin/thunderbird",
    "gnome-terminal": "/usr/bin/gnome-terminal",
    "nautilus": "/usr/bin/nautilus",
    "gnome-shell-common": "/usr/share/glib-2.0/schemas/org.gnome.shell.gschema.xml",
    "pulseaudio": "/usr/bin/pulseaudio",
    "pulseaudio-utils": "/usr/bin/pactl",
    "git": "/usr/bin/git",
    "unzip": "/usr/bin/unzip",
    "ffmpeg": "/usr/bin/ffmpeg",
}

# Pure Python, from the environment that runs this: Debian has no pyautogui.
PYTHON_PACKAGES = ("pyautogui", "pyscreeze", "pytweening", "pymsgbox", "mouseinfo", "pyperclip")
PYTHON_MEND = "pip install 'unibench-gui[desktop]'"


def missing_packages() -> list[str]:
    """The Debian packages that a desktop needs and that are not there."""
    return _missing({**SESSION, **APPLICATIONS})


def missing_applications() -> list[str]:
    """The Debian packages that a desktop can do without and that are not there."""
    return _missing(MORE_APPLICATIONS)


def _missing(packages: Mapping[str, str]) -> list[str]:
    return [name for name, file in packages.items() if not Path(file).exists()]


def check_installed() -> None:
    """
    Raises:
        Unavailable: something is missing; the message names it and the commands that install it.
    """
    if missing := missing_packages():
        raise Unavailable(
            f"the local desktop lacks {', '.join(missing)}; mend: apt-get install -y --no-install-recommends {' '.join(missing)}"
            " (as root: python -m unibench_guests.local.get_desktop)"
        )
    python_packages()


def python_packages() -> dict[str, Path]:
    """The folders of the guest's Python packages, by name, without importing them.

    Raises:
        Unavailable: one is not installed.
    """
    found = {}
    for name in PYTHON_PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise Unavailable(f"the local desktop lacks the Python package {name}; mend: {PYTHON_MEND}")
        found[name] = Path(spec.origin).parent
    return found


def versions() -> dict[str, str]:
    """The version of each Debian and Python package that is in the desktop.

    Raises:
        Unavailable: this is no Debian.
    """
    if not shutil.which("dpkg-query"):
        raise Unavailable("the local desktop is made of Debian's packages, and there is no dpkg here; use another substrate")
    names = [*SESSION, *APPLICATIONS, *MORE_APPLICATIONS]
    asked = subprocess.run(
        ["dpkg-query", "-W", "-f", "${db:Status-Abbrev}\t${Package}\t${Version}\n", *names], capture_output=True, text=True, check=False
    )
    found = {}
    for line in asked.stdout.splitlines():
        status, package, version = line.split("\t")
        if status.startswith("ii"):
            found[package] = version
    for name in PYTHON_PACKAGES:
        found[f"python:{name}"] = importlib.metadata.version(name)
    return found


def substrate() -> Substrate:
    """The local desktop as a substrate; its digest names the versions of its packages and our own part of it.

    That is its home, what runs in it, and the module that says its environment variables and mounts.
    """
    ours = hashlib.sha256()
    for path in sorted([*HOME.rglob("*"), *GUEST.rglob("*"), HERE / "desktop.py"]):
        if path.is_file() and path.suffix != ".pyc":
            ours.update(f"{path.relative_to(HERE)}\0".encode() + path.read_bytes())
    return Substrate(name="local", fidelity="stand-in", digest=digest({"packages": versions(), "ours": ours.hexdigest()}))
