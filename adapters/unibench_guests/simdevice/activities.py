"""``am``, ``input`` and ``monkey``: activities, intents, keys and taps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from unibench_guests.simdevice.device import LAUNCHER, Completed, NotSimulated

if TYPE_CHECKING:
    from unibench_guests.simdevice.device import SimulatedDevice

_FLAGS = ("-W", "-S", "-D", "--grant-read-uri-permission")
_EXTRAS = ("-e", "--es", "--ei", "--ez", "--el", "--ef")
_VALUES = {
    "-a": "action",
    "-d": "data",
    "-n": "component",
    "-t": "type",
    "-c": "category",
    "-f": "flags",
    "--user": "user",
    "-p": "package",
}


def intent(words: list[str]) -> dict[str, object]:
    """The intent that ``am``'s arguments describe: action, data, component …, ``extras`` by name, and ``options``."""
    found: dict[str, object] = {}
    extras: dict[str, str] = {}
    options: list[str] = []
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if word in _FLAGS:
            options.append(word)
        elif word in _EXTRAS:
            name, value = waiting.pop(0), waiting.pop(0)
            extras[name] = value
        elif word in _VALUES:
            found[_VALUES[word]] = waiting.pop(0)
        elif word.startswith("-"):
            raise NotSimulated(f"the option {word} of an intent")
        else:
            found["component" if "/" in word and ":" not in word else "data"] = word
    return {**found, "extras": extras, "options": options}


def am(device: SimulatedDevice, words: list[str]) -> Completed | str:
    match words:
        case ["force-stop", package]:
            force_stop(device, package)
            device.state.screen = ()
            return ""
        case ["stack", "list"]:
            return _stacks(device)
        case ["stack", "remove", _]:
            device.state.stack = [LAUNCHER]
            return ""
        case ["start" | "start-activity", *rest]:
            return _start(device, intent(rest))
        case ["broadcast", *rest]:
            return _broadcast(device, intent(rest))
    raise NotSimulated(f"am {' '.join(words)}")


def force_stop(device: SimulatedDevice, package: str) -> None:
    """Takes a package's activities away."""
    device.state.stack = [component for component in device.state.stack if not component.startswith(f"{package}/")] or [LAUNCHER]


def show(device: SimulatedDevice, component: str) -> None:
    """Brings an activity to the foreground."""
    device.state.stack = [other for other in device.state.stack if other != component] + [component]
    device.state.screen = ()


def _stacks(device: SimulatedDevice) -> str:
    text = ""
    for number, component in enumerate(reversed(device.state.stack)):
        seen = "true" if number == 0 else "false"
        text += (
            f"RootTask id={number + 10} bounds=[0,0][{device.size[0]},{device.size[1]}] displayId=0 userId=0\n"
            f"  taskId={number + 10}: {component} bounds=[0,0][{device.size[0]},{device.size[1]}] userId=0 visible={seen} "
            f"topActivity=ComponentInfo{{{component}}}\n"
        )
    return text


def _flat(component: str) -> str:
    package, _, name = component.partition("/")
    return f"{package}/{package + name if name.startswith('.') else name}"


def _start(device: SimulatedDevice, asked: Mapping[str, object]) -> Completed | str:
    if "component" in asked:
        component = _flat(str(asked["component"]))
        package = component.partition("/")[0]
        if package not in device.packages:
            return Completed(1, f"Error type 3\nError: Activity class {{{component}}} does not exist.\n".encode())
        force_stop(device, package)
        show(device, component)
        device.launched(device, package)
        return f"Starting: Intent {{ cmp={asked['component']} }}\nStatus: ok\nLaunchState: COLD\nActivity: {component}\nComplete\n"
    action = str(asked.get("action", ""))
    answer = device.activities.get(action)
    if answer is None:
        raise NotSimulated(f"an activity for the action {action!r}")
    return answer(device, asked)


def _broadcast(device: SimulatedDevice, asked: Mapping[str, object]) -> Completed | str:
    action = str(asked.get("action", ""))
    answer = device.receivers.get(action)
    if answer is None:
        raise NotSimulated(f"a receiver of the broadcast {action!r}")
    return answer(device, asked)


def input_(device: SimulatedDevice, words: list[str]) -> str:
    match words:
        case ["keyevent", "KEYCODE_HOME" | "3"]:
            device.state.stack = [component for component in device.state.stack if component != LAUNCHER] + [LAUNCHER]
            device.state.screen = ()
            return ""
        case ["keyevent", "KEYCODE_BACK" | "4"]:
            if len(device.state.stack) > 1:
                device.state.stack.pop()
            device.state.screen = ()
            return ""
        case ["tap", x, y]:
            for view in device.state.screen:
                left, top, right, bottom = view.bounds
                if view.on_tap is not None and left <= float(x) <= right and top <= float(y) <= bottom:
                    view.on_tap()
                    return ""
            raise NotSimulated("a tap where nothing answers")
    raise NotSimulated(f"input {' '.join(words)}")


def monkey(device: SimulatedDevice, words: list[str]) -> Completed | str:
    """``monkey -p PACKAGE 1``, the known way to open an app without naming its activity."""
    if len(words) != 3 or words[0] != "-p" or words[2] != "1":
        raise NotSimulated("only 'monkey -p PACKAGE 1' is")
    package = words[1]
    if package not in device.packages:
        return Completed(252, b"** No activities found to run, monkey aborted.\n")
    show(device, f"{package}/{package}.MainActivity")
    device.launched(device, package)
    return "Events injected: 1\n"
