"""An agent that plays scripts by what it sees: each step looks for its target in the accessibility tree, and waits until it is there.

    unibench run miniwob -a macro:Macro -t click-button -t login-user
    unibench run osworld -a macro:Macro -t 'chrome/030eeff7*' --set assets=MIRROR

A script says which goals it is for and what to do; `macros/*.toml` has some. A step a line:

    click push-button "OK"           also double-click, right-click; a target is a role, a "name" or both
    click push-button "Edit *" #2    * is any text; #2 is the second that fits
    maybe click push-button "Close"  only if it is there
    wait for dialog "Add folder"     or for some seconds: wait 2
    press Control+Shift+t            keys by their DOM names, and Space
    type Thomas\\n                    \\n is Enter; on a desktop, \\t is Tab
    scroll 300                       pixels, down
    answer 42                        an answer that the verifier reads
    done                             said at the end of a script, too
    infeasible there is no such app  says that it cannot be done

`{name}` in a step is what the goal's pattern found as `(?P<name>…)`.
"""

import hashlib
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from widgets import widgets_in

from unibench.actions import Answer, Click, Done, DoubleClick, Hotkey, Infeasible, Key, Scroll, Type, Wait
from unibench.errors import UsageError

FOLDER = Path(__file__).parent / "macros"
STEP = re.compile(r"(?P<maybe>maybe )?(?P<verb>wait for|[a-z-]+)(?: (?P<rest>.+))?")
TARGET = re.compile(r'(?P<role>[\w-]+)?\s*(?:"(?P<name>.*)")?\s*(?:#(?P<which>[1-9]\d*))?')
AT_TARGET = {
    "click": lambda target: Click(target=target),
    "double-click": lambda target: DoubleClick(target=target),
    "right-click": lambda target: Click(target=target, button="right"),
    "wait for": lambda target: None,
}
AT_ONCE = {
    "press": lambda rest: pressed(rest),
    "type": lambda rest: Type(text=rest.replace(r"\n", "\n").replace(r"\t", "\t")),
    "scroll": lambda rest: Scroll(dy=float(rest)),
    "wait": lambda rest: Wait(seconds=float(rest)),
    "answer": lambda rest: Answer(text=rest),
    "done": lambda rest: Done(),
    "infeasible": lambda rest: Infeasible(reason=rest),
}


def pressed(keys):
    names = [{"Space": " "}.get(key, key) for key in re.split(r"(?<=[^+])\+", keys)]
    return Key(key=names[0]) if len(names) == 1 else Hotkey(keys=tuple(names))


@dataclass(frozen=True)
class Step:
    """One line of a script; ``role``, ``name`` and ``which`` are its target, where it has one."""

    line: str
    verb: str
    rest: str
    maybe: bool = False
    role: str = ""
    name: str = "*"
    which: int = 1

    @classmethod
    def parse(cls, line):
        found = STEP.fullmatch(line)
        verb, rest = (found["verb"], found["rest"] or "") if found else ("", "")
        if verb in AT_ONCE and not found["maybe"]:
            AT_ONCE[verb](re.sub(r"\{\w+\}", "1", rest))  # What it cannot mean is said now, not while it plays.
            return cls(line, verb, rest)
        target = TARGET.fullmatch(rest)
        if verb not in AT_TARGET or not rest or not target:
            raise ValueError(f"no step: {line}")
        name = "*" if target["name"] is None else target["name"]
        return cls(line, verb, rest, bool(found["maybe"]), target["role"] or "", name, int(target["which"] or 1))

    def action(self, widgets, words):
        """What to do now; None for nothing.

        Raises:
            LookupError: its target does not show.
        """
        if self.verb in AT_ONCE:
            return AT_ONCE[self.verb](filled(self.rest, words))
        fitting = [each for each in widgets if self.fits(each, words)]
        return AT_TARGET[self.verb](fitting[self.which - 1].target)

    def fits(self, widget, words):
        parts = [re.escape(filled(part, words)) for part in self.name.split("*")]
        return self.role in ("", widget.role) and re.fullmatch(".*".join(parts), " ".join(widget.name.split())) is not None


def filled(text, words):
    return re.sub(r"\{(\w+)\}", lambda found: words[found[1]], text)


@dataclass(frozen=True)
class Script:
    goal: re.Pattern
    steps: tuple[Step, ...]


def read_scripts(path):
    """The scripts of a file, or of all in a folder.

    Raises:
        UsageError: what is there is no script.
    """
    scripts = []
    for file in sorted(path.glob("*.toml")) if path.is_dir() else [path]:
        try:
            tables = tomllib.loads(file.read_text(encoding="utf-8"))
            scripts += [script_of(table) for table in tables.values()]
        except (OSError, ValueError, re.error, KeyError, TypeError) as error:
            raise UsageError(f"{file} cannot be read: {error}; macro.py says what a script is") from None
    if not scripts:
        raise UsageError(f"there are no scripts in {path}")
    return scripts


def script_of(table):
    goal = re.compile(table["goal"])
    lines = [line.strip() for line in table["steps"].splitlines()]
    steps = tuple(Step.parse(line) for line in lines if line and not line.startswith("#"))
    used = {word for step in steps for word in re.findall(r"\{(\w+)\}", step.line)}
    if unknown := used - set(goal.groupindex):
        raise ValueError(f"the goal {goal.pattern!r} has no group {', '.join(sorted(unknown))}")
    return Script(goal, steps)


class Macro:
    """See the module.

    Args:
        scripts: a file or a folder of scripts; those beside this module else.
        patience: how often it looks for a target, two seconds apart, before it gives up.
    """

    observe = ("a11y?", "axtree?")

    def __init__(self, scripts="", patience=8):
        self.scripts = read_scripts(Path(scripts) if scripts else FOLDER)
        self.patience = int(patience)

    def describe(self):
        text = "\n".join(line for script in self.scripts for line in (script.goal.pattern, *(step.line for step in script.steps)))
        return {"scripts": len(self.scripts), "scripts_digest": hashlib.sha256(text.encode()).hexdigest()[:32]}

    def reset(self, brief):
        self.screen = brief.screen
        for script in self.scripts:
            if found := script.goal.search(brief.text):
                self.left, self.words, self.looked = list(script.steps), found.groupdict(), 0
                return
        raise LookupError(f"no script for the goal {brief.text!r}")

    def act(self, observation):
        widgets = widgets_in(observation, self.screen)
        while self.left:
            step = self.left[0]
            try:
                action = step.action(widgets, self.words)
            except LookupError:
                if not step.maybe:
                    return self.wait_for(step)
                action = None
            self.left.pop(0)
            self.looked = 0
            if action is not None:
                return action
        return Done()

    def wait_for(self, step):
        self.looked += 1
        if self.looked >= self.patience:
            raise LookupError(f"nothing that fits showed up in {self.looked} looks: {step.line}")
        return Wait(seconds=2)
