"""The simulated device behind android_env's own simulator class: no adb, no sockets, no gRPC."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from android_env import environment
from android_env.components import config_classes, coordinator, device_settings, errors, log_stream, task_manager
from android_env.components.simulators import base_simulator
from android_env.proto import task_pb2
from android_env.proto.a11y import android_accessibility_forest_pb2 as forest_pb2
from android_world.env import android_world_controller, env_launcher, interface

from unibench_guests.simdevice import SimulatedDevice, client
from unibench_guests.simdevice.device import View


class Adb:
    """android_env's AdbController, for a device in this process; the client's part of push and pull is here too.

    Exit codes count as they do there (android_env/components/adb_controller.py, 1.2.3): any but 0 raises.
    """

    def __init__(self, device: SimulatedDevice) -> None:
        self._device = device

    def command_prefix(self, include_device_name: bool = True) -> list[str]:
        return ["adb"]

    def init_server(self, timeout: float | None = None) -> None:
        pass

    def execute_command(self, args: Sequence[str], timeout: float | None = None, device_specific: bool = True) -> bytes:
        done = client.run(self._device, list(args), seconds=timeout or 60.0)
        if done.code:
            raise errors.AdbControllerError(
                f"Error executing adb command: [{' '.join(args)}]\n{(done.out + done.err).decode(errors='replace')}"
            )
        return done.out + done.err


def forest(device: SimulatedDevice) -> Any:
    """The accessibility forest of what the device shows."""
    whole = forest_pb2.AndroidAccessibilityForest()
    window = whole.windows.add()
    window.is_active = True
    window.bounds_in_screen.right, window.bounds_in_screen.bottom = device.size
    package = device.foreground.partition("/")[0]
    top = window.tree.nodes.add()
    top.unique_id, top.package_name, top.is_visible_to_user = 0, package, True
    top.bounds_in_screen.right, top.bounds_in_screen.bottom = device.size
    for number, view in enumerate(device.state.screen or (View(package, (0, 0, 500, 100)),), start=1):
        node = window.tree.nodes.add()
        node.unique_id, node.package_name, node.is_visible_to_user, node.is_enabled = number, package, True, True
        node.text, node.content_description, node.hint_text = view.text, view.description, view.hint
        node.is_clickable = view.on_tap is not None
        box = node.bounds_in_screen
        box.left, box.top, box.right, box.bottom = view.bounds
        top.child_ids.append(number)
    return whole


class _NoLog(log_stream.LogStream):  # type: ignore[misc]
    """A log in which nothing is ever said."""

    def __init__(self) -> None:
        super().__init__()
        self._stopped = threading.Event()

    def _get_stream_output(self) -> Iterator[str]:
        self._stopped.wait()
        yield from ()

    def stop_stream(self) -> None:
        self._stopped.set()


class Simulator(base_simulator.BaseSimulator):  # type: ignore[misc]
    """android_env's view of the device. Touches go nowhere: no agent acts here."""

    def __init__(self, device: SimulatedDevice) -> None:
        super().__init__(config_classes.SimulatorConfig())
        self._adb = Adb(device)
        self._image = np.zeros((device.size[1], device.size[0], 3), np.uint8)

    def adb_device_name(self) -> str:
        return "simdevice"

    def create_adb_controller(self) -> Adb:
        return self._adb

    def create_log_stream(self) -> _NoLog:
        return _NoLog()

    def _launch_impl(self) -> None:
        pass

    def send_touch(self, touches: Any) -> None:
        pass

    def send_key(self, keycode: Any, event_type: Any) -> None:
        pass

    def _get_screenshot_impl(self) -> Any:
        return self._image


class _Controller(android_world_controller.AndroidWorldController):  # type: ignore[misc]
    """Upstream's controller, with the forest from the device instead of from the forwarder app."""

    def __init__(self, env: Any, device: SimulatedDevice) -> None:
        super().__init__(env, a11y_method=android_world_controller.A11yMethod.NONE)
        self._a11y_method = android_world_controller.A11yMethod.A11Y_FORWARDER_APP
        self._device = device

    def _get_a11y_forest(self) -> Any:
        return forest(self._device)


def load(device: SimulatedDevice, *, freeze_datetime: bool) -> Any:
    """Upstream's environment over the device."""
    simulator = Simulator(device)
    manager = task_manager.TaskManager(task_pb2.Task(id="unibench", max_episode_sec=7200))
    settings = device_settings.DeviceSettings(simulator)
    env = environment.AndroidEnv(
        simulator=simulator, coordinator=coordinator.Coordinator(simulator, manager, settings), task_manager=manager
    )
    loaded = interface.AsyncAndroidEnv(_Controller(env, device))
    env_launcher.setup_env(loaded, emulator_setup=False, freeze_datetime=freeze_datetime)
    return loaded
