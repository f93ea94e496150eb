"""The local desktop: cold start, a document's window after a reset, four at once, and what many resets leave behind.

python benchmarks/desktop.py [--resets 200]
"""

from __future__ import annotations

import argparse
import io
import os
import re
import statistics
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

from unibench_guests.box import state_folder
from unibench_guests.client import GuestClient
from unibench_guests.launcher import _family
from unibench_guests.local import LocalDesktop

ROUNDS = 10


def document() -> bytes:
    """A spreadsheet with a thousand rows of ten numbers, as xlsx."""
    rows = "".join(
        f'<row r="{r}">' + "".join(f'<c r="{chr(65 + c)}{r}"><v>{r * c}</v></c>' for c in range(10)) + "</row>" for r in range(1, 1001)
    )
    office, package = (
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        "http://schemas.openxmlformats.org/package/2006",
    )
    main, kind = "http://schemas.openxmlformats.org/spreadsheetml/2006/main", "application/vnd.openxmlformats-officedocument.spreadsheetml"

    def leads_to(what: str, target: str) -> str:
        one = f'<Relationship Id="r1" Type="{office}/{what}" Target="{target}"/>'
        return f'<Relationships xmlns="{package}/relationships">{one}</Relationships>'

    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
        f'<Override PartName="/xl/s.xml" ContentType="{kind}.worksheet+xml"/></Types>',
        "_rels/.rels": leads_to("officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": leads_to("worksheet", "s.xml"),
        "xl/s.xml": f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>',
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as book:
        for name, text in parts.items():
            book.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>' + text)
    return file.getvalue()


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def opened(desktop: LocalDesktop) -> None:
    with GuestClient(desktop.url) as guest:
        guest.upload("/home/user/Desktop/book.xlsx", document())
        guest.open_file("/home/user/Desktop/book.xlsx")


def reset_with_document(desktop: LocalDesktop) -> None:
    """What an episode begins with: the old machine, a document open in it, ends; a fresh one opens it."""
    desktop.reset()
    opened(desktop)


def cold() -> float:
    """A boot by a process that has just begun to: with no machine before it, until the server has answered."""
    found: list[LocalDesktop] = []
    took = seconds(lambda: found.append(LocalDesktop()))
    found[0].close()
    return took


def at_once(count: int) -> float:
    """Seconds until so many machines, booted at the same time, show a document."""
    desktops: list[LocalDesktop] = []

    def one() -> None:
        desktop = LocalDesktop()
        try:
            opened(desktop)
        except BaseException:
            desktop.close()
            raise
        desktops.append(desktop)

    threads = [threading.Thread(target=one) for _ in range(count)]

    def all_of_them() -> None:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    took = seconds(all_of_them)
    for desktop in desktops:
        desktop.close()
    if len(desktops) < count:
        raise SystemExit(f"only {len(desktops)} of {count} machines came up and opened the document")
    return took


def text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def held(folder: Path) -> dict[str, int]:
    """What this process and its machines hold, wherever it went: their folder for temporary files names them."""
    ours = _family(os.getpid())
    links = [link for pid in ours for link in Path(f"/proc/{pid}/fd").glob("*")]
    return {
        "processes below this one": len(ours) - 1,
        "processes of the machine that see a mount of ours": sum(
            str(folder) in text(each) for each in Path("/proc").glob("[0-9]*/mountinfo")
        ),
        "mounts": text(Path("/proc/self/mounts")).count("\n"),
        "sockets of all of them": sum(target(link).startswith("socket:") for link in links),
        "open files of this process": len(list(Path("/proc/self/fd").iterdir())),
        "threads of this process": threading.active_count(),
        "box folders": len(list(state_folder().glob("box-*"))),
        "temporary files": sum(len(files) for _, _, files in os.walk(folder)),
    }


def left(folder: str) -> dict[str, int]:
    """What is held, and memory."""
    memory = re.search(r"VmRSS:\s+(\d+)", text(Path("/proc/self/status")))
    return {
        **held(Path(folder)),
        "MB of this process": int(memory.group(1)) // 1024 if memory else 0,
        "MB of shared memory of the machine": int(re.findall(r"Shmem:\s+(\d+)", text(Path("/proc/meminfo")))[0]) // 1024,
    }


def target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:
        return ""


def shown(what: str, values: list[float], target: str = "") -> None:
    low, middle, high = min(values), statistics.median(values), max(values)
    sys.stdout.write(f"{what}: median {middle:.2f} s of {len(values)} ({low:.2f} to {high:.2f}){target}\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--resets", type=int, default=200)
    resets = parser.parse_args().resets
    with tempfile.TemporaryDirectory(prefix="unibench-benchmark-") as folder:
        Path(folder).chmod(0o755)
        tempfile.tempdir = folder
        measure(resets, folder)


def measure(resets: int, folder: str) -> None:
    sys.stdout.write(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    shown("cold start until the server answers", [cold() for _ in range(ROUNDS)], ", wanted at most 1 s")
    with LocalDesktop() as desktop:
        reset_with_document(desktop)
        shown("reset with a document open", [seconds(lambda: reset_with_document(desktop)) for _ in range(ROUNDS)], ", wanted at most 4 s")
    shown("four at once, each with a document open", [at_once(4) for _ in range(3)])
    with LocalDesktop() as desktop:
        desktop.reset()
        before = left(folder)
        shown(f"{resets} resets", [seconds(desktop.reset) for _ in range(resets)])
        after = left(folder)
    for name, count in before.items():
        sys.stdout.write(f"  {name}: {count} before, {after[name]} after\n")
    closed = left(folder)
    sys.stdout.write(
        "closed: " + ", ".join(f"{name} {closed[name]}" for name in list(closed)[:4]) + f", box folders {closed['box folders']}\n"
    )
    sys.stdout.write(f"load {os.getloadavg()[0]:.1f} in the end\n")


if __name__ == "__main__":
    main()
