"""The local desktop: real programs under bubblewrap, driven through OSWorld's REST API. Makes the substrate ``local``."""

from unibench_guests.local.desktop import Desktop, LocalDesktop
from unibench_guests.local.programs import check_installed, missing_packages, substrate

__all__ = ["Desktop", "LocalDesktop", "check_installed", "missing_packages", "substrate"]
