"""The device's side of the adb protocol, and the emulator's console, on loopback: a real adb server finds the device by itself.

Protocol: packages/modules/adb/protocol.txt, SERVICES.TXT and SYNC.TXT of the Android Open Source Project. Like an emulator's, this
adbd asks for no key; it listens on loopback alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Awaitable, Callable

from unibench.errors import Unavailable
from unibench_guests.simdevice import console
from unibench_guests.simdevice.device import SimulatedDevice
from unibench_guests.simdevice.sync import ProtocolError, Sync

CNXN, OPEN, OKAY, WRTE, CLSE = (struct.unpack("<I", name)[0] for name in (b"CNXN", b"OPEN", b"OKAY", b"WRTE", b"CLSE"))
VERSION = 0x01000001
MAX_PAYLOAD = 256 * 1024
"""What this side takes in one packet; a longer one ends the connection."""
SERVER_PORT = 5037
"""Where an adb server listens."""
STREAMS = 256
"""Streams of one connection."""
BUFFER = 4 * 1024 * 1024
"""Unread bytes of one stream, from which on the other side gets no OKAY."""
_BANNER = b"device::ro.product.name=simdevice;ro.product.model=simdevice;ro.product.device=simdevice;features=shell_v2"
_STDIN, _STDOUT, _STDERR, _EXIT = 0, 1, 2, 3


class Connection:
    """One adb server's connection."""

    def __init__(self, device: SimulatedDevice, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.device = device
        self._reader = reader
        self._writer = writer
        self._streams: dict[int, Stream] = {}
        self._next = 1
        self.max_payload = MAX_PAYLOAD

    async def run(self) -> None:
        """Serves until the other side goes, or breaks the protocol."""
        try:
            while True:
                header = await self._reader.readexactly(24)
                command, first, second, length, _, magic = struct.unpack("<6I", header)
                if magic != command ^ 0xFFFFFFFF or length > MAX_PAYLOAD:
                    return
                await self._packet(command, first, second, await self._reader.readexactly(length) if length else b"")
        except (asyncio.IncompleteReadError, asyncio.CancelledError, OSError):
            return  # cancelled only when the whole device is closed
        finally:
            for stream in list(self._streams.values()):
                stream.end()
            self._writer.close()
            with contextlib.suppress(OSError):
                await self._writer.wait_closed()

    async def _packet(self, command: int, first: int, second: int, data: bytes) -> None:
        if command == CNXN:
            self.max_payload = max(1024, min(MAX_PAYLOAD, second))
            await self.send(CNXN, VERSION, MAX_PAYLOAD, _BANNER)
        elif command == OPEN:
            await self._open(first, data)
        elif (stream := self._streams.get(second)) is not None:
            if command == OKAY:
                stream.ready.set()
            elif command == WRTE:
                stream.feed(data)
            elif command == CLSE:
                self._streams.pop(second, None)
                stream.end()
        elif command == WRTE:
            await self.send(CLSE, 0, first)

    async def _open(self, remote: int, data: bytes) -> None:
        if len(self._streams) >= STREAMS or remote == 0:
            await self.send(CLSE, 0, remote)
            return
        stream = Stream(self, self._next, remote)
        self._next += 1
        self._streams[stream.local] = stream
        await self.send(OKAY, stream.local, remote)
        stream.task = asyncio.get_running_loop().create_task(stream.serve(data.rstrip(b"\0").decode(errors="surrogateescape")))

    async def send(self, command: int, first: int, second: int, data: bytes = b"") -> None:
        """Sends a packet. From protocol version 0x01000001 on, the checksum is 0."""
        self._writer.write(struct.pack("<6I", command, first, second, len(data), 0, command ^ 0xFFFFFFFF) + data)
        await self._writer.drain()

    async def closed(self, stream: Stream) -> None:
        """Tells the other side that a stream has ended here."""
        if self._streams.pop(stream.local, None) is not None:
            with contextlib.suppress(OSError):
                await self.send(CLSE, stream.local, stream.remote)


class Stream:
    """One service over a connection."""

    def __init__(self, connection: Connection, local: int, remote: int) -> None:
        self._connection = connection
        self.local = local
        self.remote = remote
        self._buffer = bytearray()
        self._owed = 0
        self._fed = asyncio.Event()
        self.ready = asyncio.Event()
        self._over = False
        self.task: asyncio.Task[None] | None = None

    def feed(self, data: bytes) -> None:
        """Takes what came in; the OKAY for it is given when it is read, or at once while there is room."""
        self._buffer += data
        self._owed += 1
        self._fed.set()
        if len(self._buffer) < BUFFER:
            self._pay()

    def _pay(self) -> None:
        while self._owed:
            self._owed -= 1
            task = asyncio.get_running_loop().create_task(self._connection.send(OKAY, self.local, self.remote))
            task.add_done_callback(_forget)

    def end(self) -> None:
        """The other side has closed the stream."""
        self._over = True
        self._fed.set()
        self.ready.set()
        if self.task is not None:
            self.task.cancel()

    async def read(self, count: int) -> bytes:
        """Exactly so many bytes.

        Raises:
            ConnectionError: the other side ended the stream before.
        """
        while len(self._buffer) < count:
            if self._over:
                raise ConnectionError("the stream ended")
            self._pay()
            self._fed.clear()
            await self._fed.wait()
        data = bytes(self._buffer[:count])
        del self._buffer[:count]
        self._pay()
        return data

    async def write(self, data: bytes) -> None:
        """Writes, a packet at a time, each after the OKAY for the last."""
        for start in range(0, len(data), self._connection.max_payload):
            self.ready.clear()
            await self._connection.send(WRTE, self.local, self.remote, data[start : start + self._connection.max_payload])
            await self.ready.wait()
            if self._over:
                raise ConnectionError("the stream ended")

    async def serve(self, service: str) -> None:
        """Does what the service's name asks for."""
        name, _, argument = service.partition(":")
        try:
            if name.split(",")[0] in ("shell", "exec") and argument:
                await self._shell(argument, version_2="v2" in name.split(","), raw=name.startswith("exec"))
            elif name == "sync":
                await Sync(self._connection.device, self.read, self.write).serve()
            elif name == "root":
                await self.write(b"adbd is already running as root\n")
            else:
                self._connection.device.note(f"adb service {service}")
        except (OSError, ProtocolError, asyncio.CancelledError):
            pass
        await self._connection.closed(self)

    async def _shell(self, command: str, *, version_2: bool, raw: bool) -> None:
        device = self._connection.device
        if command.split()[:1] == ["logcat"] and not {"-c", "-d"} & set(command.split()):
            await self.read(1 << 30)  # nothing is ever logged, so there is only the end to wait for
        done = await asyncio.to_thread(device.shell, command)
        if _typed(bytes(self._buffer), version_2=version_2):
            device.note(f"stdin of the shell command {command}")
        if not version_2:
            await self.write(done.out if raw else done.out + done.err)
            return
        for kind, data in ((_STDOUT, done.out), (_STDERR, done.err)):
            for start in range(0, len(data), 65536):
                piece = data[start : start + 65536]
                await self.write(struct.pack("<BI", kind, len(piece)) + piece)
        await self.write(struct.pack("<BI", _EXIT, 1) + bytes([done.code & 255]))


def _typed(data: bytes, *, version_2: bool) -> bool:
    """Whether something was written to a shell's stdin, which no command here gets."""
    if not version_2:
        return bool(data)
    while len(data) >= 5:
        kind, length = struct.unpack("<BI", data[:5])
        if kind == _STDIN and length:
            return True
        data = data[5 + length :]
    return False


def _forget(task: asyncio.Task[None]) -> None:
    if not task.cancelled():
        task.exception()


async def serve_console(device: SimulatedDevice, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """The emulator's console, which asks for no token."""
    writer.write(b"Android Console: Authentication not required\r\nAndroid Console: type 'help' for a list of commands\r\nOK\r\n")
    try:
        while line := await reader.readline():
            text = line.decode(errors="replace").strip()
            if text in ("quit", "exit"):
                break
            said = "OK" if text.startswith("auth ") else await asyncio.to_thread(console.answer, device, text)
            writer.write(said.replace("\n", "\r\n").encode() + b"\r\n")
            await writer.drain()
    except (OSError, ValueError):
        pass
    finally:
        writer.close()


Handler = Callable[[SimulatedDevice, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def _adbd(device: SimulatedDevice, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await Connection(device, reader, writer).run()


class AdbDevice:
    """A simulated device that adb servers find as ``emulator-<console_port>``.

    Args:
        device: the device.
        console_port: an even port from 5554 to 5584; None takes the first pair that is free.

    Raises:
        Unavailable: the ports are taken.
    """

    def __init__(self, device: SimulatedDevice, console_port: int | None = None) -> None:
        self.device = device
        self._sockets = _pair(console_port)
        self.console_port: int = self._sockets[0].getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="simdevice-adbd")
        self._thread.start()
        handlers: tuple[Handler, Handler] = (serve_console, _adbd)
        for handler, listening in zip(handlers, self._sockets, strict=True):
            asyncio.run_coroutine_threadsafe(self._listen(handler, listening), self._loop).result()

    @property
    def serial(self) -> str:
        """How adb names the device."""
        return f"emulator-{self.console_port}"

    def announce(self, server_port: int = SERVER_PORT) -> bool:
        """Tells a running adb server of the device, as an emulator does when it starts; a server that starts later finds it by itself.

        Returns:
            Whether there was a server.
        """
        message = f"host:emulator:{self.console_port + 1}".encode()
        try:
            with socket.create_connection(("127.0.0.1", server_port), timeout=2) as server:
                server.sendall(f"{len(message):04x}".encode() + message)
        except OSError:
            return False
        return True

    async def _listen(self, handler: Handler, listening: socket.socket) -> None:
        await asyncio.start_server(lambda reader, writer: handler(self.device, reader, writer), sock=listening)

    def close(self) -> None:
        """Stops listening and ends all connections; the device stays."""

        async def stop() -> None:
            if running := asyncio.all_tasks() - {asyncio.current_task()}:
                for task in running:
                    task.cancel()
                await asyncio.wait(running, timeout=3)

        for listening in self._sockets:
            listening.close()
        with contextlib.suppress(RuntimeError):
            asyncio.run_coroutine_threadsafe(stop(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        if not self._thread.is_alive():
            self._loop.close()


def _pair(console_port: int | None) -> tuple[socket.socket, socket.socket]:
    """The console's and adbd's listening sockets."""
    for port in [console_port] if console_port is not None else range(5554, 5586, 2):
        sockets: list[socket.socket] = []
        try:
            for number in (port, port + 1):
                # With the protocol named, asyncio sends small packets at once; else each command waits 40 ms for an acknowledgement.
                listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
                sockets.append(listening)
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                listening.bind(("127.0.0.1", number))
                listening.listen(64)
            return sockets[0], sockets[1]
        except OSError:
            for listening in sockets:
                listening.close()
    asked = f"port {console_port} or the next one is" if console_port is not None else "all ports from 5554 to 5585 are"
    raise Unavailable(f"{asked} taken; end another emulator or simulated device")
