"""Questions to AT-SPI, many under way at once: one after the other, a full spreadsheet takes several times as long.

By libdbus in this one thread: GDBus has a thread for its connection, and a busy machine spends longer on going to and fro than on the
answers. Two ways that would be faster still are left alone. Programs' caches (``org.a11y.atspi.Cache``): LibreOffice 7.4 crashes when it
keeps one and a dialog changes. Connections to the programs themselves: when one ends, what it was asked is never answered.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import dbus.bus
from dbus.lowlevel import MethodCallMessage, MethodReturnMessage
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

UNDER_WAY, ANSWER_SECONDS = 200, 10.0

_PROPERTIES = "org.freedesktop.DBus.Properties"

Ref = tuple[str, str]
"""An accessible: its program's bus name, and its path."""
Answer = Callable[[Any], None]


class Bus:
    """The accessibility bus. Answers come in while :meth:`run` runs; what is not answered comes as None."""

    def __init__(self) -> None:
        self._main = DBusGMainLoop()
        session = dbus.bus.BusConnection(dbus.bus.BusConnection.TYPE_SESSION, mainloop=self._main)
        address = session.call_blocking("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", "", (), ANSWER_SECONDS)
        self._bus = dbus.bus.BusConnection(address, mainloop=self._main)
        self._waiting: deque[tuple[Any, ...]] = deque()
        self._under_way = 0
        self._loop = GLib.MainLoop()

    def ask(self, ref: Ref, interface: str, method: str, answer: Answer, signature: str = "", arguments: Sequence[Any] = ()) -> None:
        """Asks an accessible; ``answer`` gets the first value of the reply."""
        self._waiting.append((ref, _interface(interface), method, answer, signature, arguments))
        self._send()

    def get(self, ref: Ref, interface: str, name: str, answer: Answer) -> None:
        """Asks for a property."""
        self._waiting.append((ref, _PROPERTIES, "Get", answer, "ss", (_interface(interface), name)))
        self._send()

    def get_all(self, ref: Ref, interface: str, answer: Answer) -> None:
        """Asks for all properties of an interface."""
        self._waiting.append((ref, _PROPERTIES, "GetAll", answer, "s", (_interface(interface),)))
        self._send()

    def now(self, ref: Ref, interface: str, method: str, signature: str = "", arguments: Sequence[Any] = ()) -> Any:
        """Asks, and waits for the answer."""
        return self._now(ref, _interface(interface), method, signature, arguments)

    def property_now(self, ref: Ref, interface: str, name: str) -> Any:
        """Asks for a property, and waits for the answer."""
        return self._now(ref, _PROPERTIES, "Get", "ss", (_interface(interface), name))

    def run(self) -> None:
        """Until all is answered."""
        if self._under_way:
            self._loop.run()

    def _now(self, ref: Ref, interface: str, method: str, signature: str, arguments: Sequence[Any]) -> Any:
        try:
            message = _question(ref, interface, method, signature, arguments)
            return _value(self._bus.send_message_with_reply_and_block(message, ANSWER_SECONDS))
        except dbus.DBusException:
            return None

    def _send(self) -> None:
        while self._waiting and self._under_way < UNDER_WAY:
            ref, interface, method, answer, signature, arguments = self._waiting.popleft()
            message = _question(ref, interface, method, signature, arguments)
            self._under_way += 1
            self._bus.send_message_with_reply(message, lambda reply, to=answer: self._answered(reply, to), ANSWER_SECONDS)

    def _answered(self, reply: Any, answer: Answer) -> None:
        self._under_way -= 1
        answer(_value(reply))
        self._send()
        if not self._under_way:
            self._loop.quit()


def _question(ref: Ref, interface: str, method: str, signature: str, arguments: Sequence[Any]) -> MethodCallMessage:
    message = MethodCallMessage(ref[0], ref[1], interface, method)
    message.set_auto_start(False)
    if signature:
        message.append(*arguments, signature=signature)
    return message


def _value(reply: Any) -> Any:
    """None for an error: it went away, does not have it, or does not answer."""
    values = reply.get_args_list() if isinstance(reply, MethodReturnMessage) else ()
    return values[0] if values else None


@lru_cache(maxsize=64)
def _interface(name: str) -> str:
    return f"org.a11y.atspi.{name}"
