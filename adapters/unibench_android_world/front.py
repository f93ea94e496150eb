"""What an emulator offers beside adb: its gRPC controller, and the accessibility forwarder's stream of forests."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent import futures
from typing import Any

import grpc
from android_env.proto import emulator_controller_pb2 as messages
from android_env.proto import emulator_controller_pb2_grpc as services
from android_env.proto.a11y import a11y_pb2_grpc
from google.protobuf import empty_pb2

from unibench.errors import Unavailable
from unibench_android_world.inprocess import forest
from unibench_guests.simdevice import SimulatedDevice

_SET_PORT = "accessibility_forwarder.intent.action.SET_GRPC"
_FLAGS = ("ENABLE_ACCESSIBILITY_TREE_LOGS", "DISABLE_ACCESSIBILITY_TREE_LOGS")
_EVERY = 0.15
"""Seconds between two forests."""
_FAILURES = 20
"""So many forests that nobody takes end the stream."""
_IMAGE = (270, 600)
"""The screenshot's size: nothing is shown, and a full one takes long over gRPC."""


class Controller(services.EmulatorControllerServicer):  # type: ignore[misc]
    """The emulator's controller: booted, and black. Touches and keys go nowhere."""

    def __init__(self) -> None:
        width, height = _IMAGE
        kind = messages.ImageFormat(width=width, height=height, format=messages.ImageFormat.RGBA8888)
        self._image = messages.Image(format=kind, image=bytes(width * height * 4))

    def getStatus(self, request: Any, context: Any) -> Any:
        return messages.EmulatorStatus(booted=True, uptime=1)

    def getScreenshot(self, request: Any, context: Any) -> Any:
        return self._image

    def sendTouch(self, request: Any, context: Any) -> Any:
        return empty_pb2.Empty()

    def sendKey(self, request: Any, context: Any) -> Any:
        return empty_pb2.Empty()


class Front:
    """The gRPC server on loopback, and the forwarder.

    Args:
        port: the server's; 0 takes a free one.

    Attributes:
        port: the server's port.

    Raises:
        Unavailable: the port is taken.
    """

    def __init__(self, device: SimulatedDevice, port: int = 0) -> None:
        self._device = device
        self._over = threading.Event()
        self._to = 0
        self._server = grpc.server(futures.ThreadPoolExecutor(4), options=[("grpc.max_send_message_length", -1)])
        services.add_EmulatorControllerServicer_to_server(Controller(), self._server)
        try:
            self.port = int(self._server.add_secure_port(f"localhost:{port}", grpc.local_server_credentials()))
        except RuntimeError as error:
            raise Unavailable(f"gRPC cannot listen on port {port}: {str(error).splitlines()[0]}") from None
        self._server.start()
        device.receivers[_SET_PORT] = self._set_port
        for flag in _FLAGS:
            device.receivers[f"accessibility_forwarder.intent.action.{flag}"] = self._flag

    def _flag(self, device: SimulatedDevice, asked: Mapping[str, Any]) -> str:
        return f"Broadcasting: Intent {{ act={asked['action']} }}\nBroadcast completed: result=0\n"

    def _set_port(self, device: SimulatedDevice, asked: Mapping[str, Any]) -> str:
        """The host says where it listens; from then on it gets forests."""
        self._to = int(asked["extras"]["port"])
        threading.Thread(target=self._forward, args=(self._to,), daemon=True, name="forwarder").start()
        return self._flag(device, asked)

    def _forward(self, port: int) -> None:
        failures = 0
        with grpc.secure_channel(f"localhost:{port}", grpc.local_channel_credentials()) as channel:
            service = a11y_pb2_grpc.A11yServiceStub(channel)
            while self._to == port and failures < _FAILURES and not self._over.wait(_EVERY):
                try:
                    with self._device.lock:
                        seen = forest(self._device)
                    service.SendForest(seen, timeout=2)
                    failures = 0
                except grpc.RpcError:
                    failures += 1

    def close(self) -> None:
        self._over.set()
        self._server.stop(0)
