"""The guest: its folder, what it was asked for that it does not do, and its server on a loopback port."""

from __future__ import annotations

import shutil
import tempfile
import threading
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from unibench.record import digest
from unibench_guests.pathmapped import routes
from unibench_guests.pathmapped.paths import ENVIRONMENT, HOME, TRASH, mapped

FOLDERS = (
    "Desktop", "Documents", "Downloads", "Music", "Pictures", "Videos", r"AppData\Local\Temp",
    r"AppData\Local\Google\Chrome\User Data\Default", r"AppData\Local\Google\Chrome\User Data\Default\Network",
    r"AppData\Local\Microsoft\Edge\User Data\Default", r"AppData\Local\Microsoft\Edge\User Data\Default\Network",
    r"AppData\Roaming\Code\User", r"AppData\Roaming\LibreOffice\4\user", r"AppData\Roaming\vlc",
)  # fmt: skip
"""A user's folders, and those in which WindowsAgentArena's programs keep their settings; all empty."""


class PathMappedGuest:
    """A running path-mapped guest; a context manager.

    Args:
        folder: an empty folder that it may fill; a temporary one else, which :meth:`close` removes.

    Attributes:
        gaps: what it was asked for since :meth:`fresh` that it does not do.
        launched: the programs that it was told to start; none did.
        port: of its server, on 127.0.0.1.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._own = folder is None
        self.root = folder if folder is not None else Path(tempfile.mkdtemp(prefix="unibench-pathmapped-"))
        # The sandboxed Python's user, who is another one where root runs it, must be able to read it.
        self.root.chmod(0o755)
        self.gaps: list[str] = []
        self.launched: list[str] = []
        self.lock = threading.Lock()
        self.fresh()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), routes.handler(self))
        self._server.daemon_threads = True
        self.port = int(self._server.server_address[1])
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True, name="pathmapped").start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def fresh(self) -> None:
        """Brings it to its untouched state: a user's empty folders."""
        with self.lock:
            shutil.rmtree(self.root / "C", ignore_errors=True)
            for name in FOLDERS:
                self.at(f"{HOME}\\{name}").mkdir(parents=True)
            self.at(TRASH).mkdir()
            self.gaps.clear()
            self.launched.clear()

    def at(self, path: str) -> Path:
        """The file that a Windows path stands for.

        Raises:
            NotMapped: it stands for none here.
        """
        return mapped(self.root, path)

    def close(self) -> None:
        """Ends the server; safe to call twice."""
        self._server.shutdown()
        self._server.server_close()
        if self._own:
            shutil.rmtree(self.root, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def version() -> str:
    """Names the guest: its code and its untouched state."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("*.py"))}
    return f"pathmapped-{digest([texts, ENVIRONMENT, list(FOLDERS)])[:12]}"
