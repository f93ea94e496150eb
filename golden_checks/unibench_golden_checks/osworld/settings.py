"""Recipes for end states that can be said in a few words: a setting, a file's mode, what the address bar says.

A recipe names the right state by the instruction's words, how to bring the machine to it and to nearly right ones, and how to
read the state back, by another way than the one that made it where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from unibench.actions import Action, Done, Infeasible
from unibench.golden.control import BELOW_GOLDEN, NOT_PASSED, PASSED, Control, Provenance, Readback, RecipeFailed, Role
from unibench_guests.client import GuestClient
from unibench_osworld.session import DesktopHandle

HOME = "/home/user"
Make = Callable[[DesktopHandle], list[JsonValue]]
"""Brings the machine to a state; gives the steps that it took."""
Read = Callable[[DesktopHandle], JsonValue]


@dataclass(frozen=True)
class Recipe:
    """One task's right end state and nearly right ones.

    Attributes:
        wanted: the right state, as ``read`` gives it.
        golden: how to make it; ``also`` are further ways or forms that are right, by name.
        mutants: how to make nearly right states, by name.
        read: what the machine is in.
        right: whether a state is right by the instruction's words; equality with ``wanted`` unless it says otherwise.
        provenance: of the goldens; a mutant's is the same.
    """

    wanted: JsonValue
    golden: Make
    read: Read
    provenance: Provenance
    mutants: Mapping[str, Make] = field(default_factory=dict)
    also: Mapping[str, Make] = field(default_factory=dict)
    right: Callable[[JsonValue], bool] | None = None
    final: tuple[Action, ...] = (Done(),)
    start: Make | None = None
    """What takes the place of the set-up's waiting (upstream: 60 s), where an untouched machine must have come to rest to be judged."""

    def controls(self) -> list[Control]:
        """The golden, the other goldens and the mutants; where the machine must come to rest, the standard ones with that."""
        goldens = {"golden": self.golden, **self.also}
        found = self._at_rest(self.start) if self.start is not None else []
        found += [
            Control(name, Role.GOLDEN, PASSED, self.provenance, self._build(make), self.final, state=name) for name, make in goldens.items()
        ]
        return found + [
            Control(name, Role.MUTANT, BELOW_GOLDEN, self.provenance, self._build(make), self.final, state=name)
            for name, make in self.mutants.items()
        ]

    def _at_rest(self, start: Make) -> list[Control]:
        build = self._build(start)
        rested = Provenance(source="none", means="nothing", note="nothing was changed, only waited until the application had come to rest")
        refuses = Infeasible(reason="this task cannot be done")
        return [
            Control("untouched", Role.UNTOUCHED, NOT_PASSED, rested, build, state="at-rest"),
            Control("idle", Role.TRIVIAL, NOT_PASSED, rested, build, state="at-rest"),
            Control("claims-done", Role.TRIVIAL, NOT_PASSED, rested, build, (Done(),), state="at-rest"),
            Control("claims-infeasible", Role.TRIVIAL, NOT_PASSED, rested, build, (refuses,), state="at-rest"),
        ]

    def _build(self, make: Make) -> Callable[[DesktopHandle], Readback]:
        def build(handle: DesktopHandle) -> Readback:
            steps = make(handle)
            found = self.read(handle)
            right = self.right(found) if self.right is not None else found == self.wanted
            return Readback(wanted=self.wanted, made=steps, found=found, right=right, steps=steps)

        return build


def run(guest: GuestClient, script: str, *, seconds: float = 60.0) -> str:
    """What a shell command in the guest prints.

    Raises:
        RecipeFailed: it failed.
    """
    done = guest.execute(script, shell=True, seconds=seconds)
    if done.returncode:
        raise RecipeFailed(f"{script!r} returned {done.returncode}: {(done.error or done.output).strip()[-300:]}")
    return done.output


def shell(script: str) -> Make:
    """A state that a shell command makes."""

    def make(handle: DesktopHandle) -> list[JsonValue]:
        run(handle.guest, script)
        return [["shell", script]]

    return make


def in_turn(*makes: Make) -> Make:
    """One after the other."""
    return lambda handle: [step for make in makes for step in make(handle)]


def printed(script: str) -> Read:
    """A state that a shell command prints, without the last line's end."""
    return lambda handle: run(handle.guest, script).rstrip("\n")


def keys(*combination: str) -> str:
    """pyautogui's code for keys pressed together."""
    return f"pyautogui.hotkey({', '.join(map(repr, combination))})"


def by_hand(*lines: str) -> Make:
    """A state that keys and the mouse make, as pyautogui's code."""
    code = "import time, pyautogui; " + "; ".join(lines)

    def make(handle: DesktopHandle) -> list[JsonValue]:
        done = handle.guest.execute(["python", "-c", code])
        if done.returncode:
            raise RecipeFailed(f"the input failed: {done.error.strip()[-300:]}")
        return [["pyautogui", line] for line in lines]

    return make
