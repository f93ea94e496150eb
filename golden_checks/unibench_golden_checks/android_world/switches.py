"""Settings, radios, the clipboard, and opening an app."""

from __future__ import annotations

from typing import ClassVar

from unibench_golden_checks.android_world.recipe import Recipe, State, recipe

_RADIOS = {"wifi": "wifi_on", "bluetooth": "bluetooth_on"}


class Switches(Recipe):
    """Settings by name; ``radios`` are turned by ``svc``, as ``settings put`` would only change what is shown."""

    names: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Namespace and name of each setting that is looked at."""

    def read(self) -> State:
        return {name: self.phone.shell("settings", "get", space, name).strip() for space, name in self.names}

    def construct(self, state: State) -> None:
        now = self.read()
        for space, name in self.names:
            if now[name] == state[name]:
                continue
            radio = next((radio for radio, key in _RADIOS.items() if key == name), None)
            if radio is None:
                self.phone.shell("settings", "put", space, name, state[name])
            else:
                self.phone.shell("svc", radio, "enable" if state[name] == "1" else "disable")


@recipe("SystemBrightnessMax", "SystemBrightnessMin")
class Brightness(Switches):
    words = True
    names = (("system", "screen_brightness"),)
    mutations: ClassVar[tuple[str, ...]] = ("one-short", "half")

    def by_words(self) -> State:
        return {"screen_brightness": {"max": "255", "min": "1"}[self.match(r"Turn brightness to the (max|min) value\.")[1]]}

    def by_data(self) -> State:
        return {"screen_brightness": {"max": "255", "min": "1"}[self.task.params["max_or_min"]]}

    def mutant(self, name: str, wanted: State) -> State | None:
        short = {"255": "254", "1": "2"}[wanted["screen_brightness"]]
        return {"screen_brightness": short if name == "one-short" else "128"}


@recipe("SystemBrightnessMaxVerify", "SystemBrightnessMinVerify", true_at_start=True)
class BrightnessStays(Brightness):
    mutations: ClassVar[tuple[str, ...]] = ("broken", "one-short")

    def mutant(self, name: str, wanted: State) -> State | None:
        if name == "broken":
            return {"screen_brightness": {"255": "1", "1": "255"}[wanted["screen_brightness"]]}
        return super().mutant(name, wanted)


class Radio(Switches):
    """One radio on or off. The other one is looked at too: turning that one instead is nearly right."""

    words = True
    names = (("global", "wifi_on"), ("global", "bluetooth_on"))
    mutations: ClassVar[tuple[str, ...]] = ("other-radio",)
    key: ClassVar[str] = ""
    word: ClassVar[str] = ""

    def _wanted(self, said: str) -> State:
        return {**self.before, self.key: "1" if said == "on" else "0"}

    def by_words(self) -> State:
        return self._wanted(self.match(rf"Turn {self.word} (on|off)\.")[1])

    def by_data(self) -> State:
        return self._wanted(self.task.params["on_or_off"])

    def mutant(self, name: str, wanted: State) -> State | None:
        other = "bluetooth_on" if self.key == "wifi_on" else "wifi_on"
        return {**self.before, other: "0" if self.before[other] == "1" else "1"}


class RadioStays(Radio):
    mutations: ClassVar[tuple[str, ...]] = ("broken",)

    def mutant(self, name: str, wanted: State) -> State | None:
        return {**wanted, self.key: "0" if wanted[self.key] == "1" else "1"}


@recipe("SystemWifiTurnOn", "SystemWifiTurnOff")
class Wifi(Radio):
    key, word = "wifi_on", "wifi"


@recipe("SystemWifiTurnOnVerify", "SystemWifiTurnOffVerify", true_at_start=True)
class WifiStays(RadioStays):
    key, word = "wifi_on", "wifi"


@recipe("SystemBluetoothTurnOn", "SystemBluetoothTurnOff")
class Bluetooth(Radio):
    key, word = "bluetooth_on", "bluetooth"


@recipe("SystemBluetoothTurnOnVerify", "SystemBluetoothTurnOffVerify", true_at_start=True)
class BluetoothStays(RadioStays):
    key, word = "bluetooth_on", "bluetooth"


@recipe("TurnOffWifiAndTurnOnBluetooth")
class WifiOffBluetoothOn(Switches):
    """Upstream's parts turn the radios the other way first, so neither is right at the start."""

    words = True
    names = (("global", "wifi_on"), ("global", "bluetooth_on"))
    mutations: ClassVar[tuple[str, ...]] = ("first-half", "second-half")

    def by_words(self) -> State:
        self.match("Turn off WiFi, then enable bluetooth")
        return {"wifi_on": "0", "bluetooth_on": "1"}

    def by_data(self) -> State:
        return {"wifi_on": "0", "bluetooth_on": "1"}

    def mutant(self, name: str, wanted: State) -> State | None:
        key = "wifi_on" if name == "first-half" else "bluetooth_on"
        return {**self.before, key: wanted[key]}


def package_of(app: str) -> str:
    """The package of an app, as upstream's table of activities has it."""
    from android_world.env import adb_utils

    return str(adb_utils.extract_package_name(adb_utils.get_adb_activity(app)))


@recipe("OpenAppTaskEval")
class OpenApp(Recipe):
    words = True
    mutations: ClassVar[tuple[str, ...]] = ("other-app", "left-again")

    def by_words(self) -> State:
        return package_of(self.match(r"Open the (.+) app\. Clear any pop-ups .*")[1])

    def by_data(self) -> State:
        return package_of(self.task.params["app_name"])

    def mutant(self, name: str, wanted: State) -> State | None:
        if name == "left-again":
            return self.before
        return next(package for package in (package_of("markor"), package_of("settings")) if package != wanted)

    def construct(self, state: State) -> None:
        if state == self.before:
            self.phone.open(self.by_words())
            self.phone.home()
        else:
            self.phone.open(state)

    def read(self) -> State:
        return self.phone.foreground()


@recipe("TurnOnWifiAndOpenApp")
class WifiAndApp(Switches):
    words = True
    names = (("global", "wifi_on"),)
    mutations: ClassVar[tuple[str, ...]] = ("first-half", "second-half")

    def by_words(self) -> State:
        return {"wifi_on": "1", "foreground": package_of(self.match("Turn on Wifi, then open the (.+) app")[1])}

    def by_data(self) -> State:
        return {"wifi_on": "1", "foreground": package_of(self.task.params["app_name"])}

    def mutant(self, name: str, wanted: State) -> State | None:
        key = "wifi_on" if name == "first-half" else "foreground"
        return {**self.before, key: wanted[key]}

    def construct(self, state: State) -> None:
        super().construct(state)
        if state["foreground"] != self.before["foreground"]:
            self.phone.open(state["foreground"])

    def read(self) -> State:
        return {**super().read(), "foreground": self.phone.foreground()}


@recipe("SystemCopyToClipboard")
class CopyToClipboard(Recipe):
    words = True
    mutations: ClassVar[tuple[str, ...]] = ("half", "other-text")
    note = "the clipboard is written and read through Clipper, the app that the verifier asks too"

    def by_words(self) -> State:
        return self.match("Copy the following text to the clipboard: (.+)")[1]

    def by_data(self) -> State:
        return str(self.task.params["clipboard_content"])

    def mutant(self, name: str, wanted: State) -> State | None:
        return wanted[: len(wanted) // 2] if name == "half" else "something else altogether"

    def construct(self, state: State) -> None:
        from android_world.env import adb_utils

        self.phone.steps.append(["clipboard", state])
        adb_utils.set_clipboard_contents(state, self.handle.env.controller)

    def read(self) -> State:
        from android_world.env import adb_utils

        return adb_utils.get_clipboard_contents(self.handle.env.controller)
