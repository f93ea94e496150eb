"""A task's verifier descriptor, from its task file alone: getter × metric × options, and what the postconfig does first.

The rules are upstream's (``desktop_env/desktop_env.py``, ``evaluate``): a list of metrics is joined by ``and`` (the first 0 decides,
else the mean) or by ``or`` (the first 1 decides, else the maximum).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from unibench.kinds import REFUSAL_KIND
from unibench.verdict import AgentWritable, Join, Raw, Source, VerifierDescriptor
from unibench_osworld.getters import Getter, getter
from unibench_osworld.metrics import BINARY, GRADED, Metric, metric
from unibench_osworld.task_files import Check, Step, TaskFile

CODE_WRITES = 60
"""How much of a command is shown."""


@dataclass(frozen=True)
class Upstream:
    """Whose evaluators judge, and how the tables look them up.

    Attributes:
        package: the distribution; ``version`` of it.
        env: the module that holds upstream's ``DesktopEnv``.
    """

    package: str
    version: str
    metric: Callable[[str], Metric] = metric
    getter: Callable[[str], Getter] = getter
    env: str = "desktop_env.desktop_env"

    @property
    def evaluate(self) -> str:
        """What joins the metrics, and judges a refusal."""
        return f"{self.env}:DesktopEnv.evaluate"

    @property
    def env_path(self) -> str:
        """The file of ``env``."""
        return self.env.replace(".", "/") + ".py"


def describe(task: TaskFile, upstream: Upstream) -> VerifierDescriptor:
    """The descriptor of a task: the same task file and version give the same one.

    Raises:
        UnknownName: the task names a metric or getter that the tables do not know.
    """
    acts = tuple(_act(step) for step in task.postconfig)
    if task.infeasible:
        return _refusal(upstream, acts)
    checks = [_check(check, upstream) for check in task.checks]
    if len(checks) == 1:
        return checks[0].model_copy(update={"acts_first": acts + checks[0].acts_first})
    join = Join.ANY if task.joined == "or" else Join.UPSTREAM
    graded = any(check.scale == GRADED for check in checks)
    names = [check.name for check in checks]
    return VerifierDescriptor(
        kind=checks[0].kind,
        name=f" {task.joined} ".join(dict.fromkeys(names)),
        implementation=upstream.evaluate,
        owner=checks[0].owner,
        sources=(_source(upstream, checks[0].owner, upstream.env_path),),
        scale=GRADED if graded else BINARY,
        raw=Raw(
            name="evaluate()",
            low=0,
            high=1,
            passes="1; the maximum of the parts" if task.joined == "or" else "1; 0 if a part is 0, else the mean",
        ),
        when="end",
        reads=tuple(dict.fromkeys(read for check in checks for read in check.reads)),
        acts_first=acts + tuple(act for check in checks for act in check.acts_first),
        network=any(check.network for check in checks),
        determinism="live" if any(check.determinism == "live" for check in checks) else "deterministic",
        agent_writable=_either(checks),
        children=tuple(checks),
        join=join,
    )


def _refusal(upstream: Upstream, acts: tuple[str, ...]) -> VerifierDescriptor:
    found = upstream.metric("infeasible")
    return VerifierDescriptor(
        kind=REFUSAL_KIND.name,
        name="infeasible",
        implementation=upstream.evaluate,
        owner=found.owner,
        sources=(_source(upstream, found.owner, upstream.env_path),),
        scale=BINARY,
        raw=Raw(name="evaluate()", low=0, high=1, passes="1, if the last action is FAIL"),
        when="end",
        reads=("the last action",),
        acts_first=acts,
    )


def _check(check: Check, upstream: Upstream) -> VerifierDescriptor:
    found = upstream.metric(check.metric)
    result = upstream.getter(str(check.result.get("type"))) if check.result else None
    expected = upstream.getter(str(check.expected.get("type"))) if check.expected else None
    # Upstream's is_in_vm_clickboard has its command on the expected side and the text to look for on the result side.
    telling = next((g for g in (result, expected) if g is not None and not g.literal), result)
    kind = found.kind or (telling.kind if telling else "")
    getters = [(g, config) for g, config in ((result, check.result), (expected, check.expected)) if g is not None and config is not None]
    live = any(g.live for g, _ in getters)
    owner = next((g.owner for g, _ in getters if g.owner != found.owner and not g.literal), found.owner)
    sources = [_source(upstream, found.owner, f"desktop_env/evaluators/metrics/{found.module}.py")]
    sources += [_source(upstream, g.owner, f"desktop_env/evaluators/getters/{g.module}.py") for g, _ in getters if not g.literal]
    return VerifierDescriptor(
        kind=kind,
        name=check.metric,
        implementation=f"desktop_env.evaluators.metrics:{check.metric}",
        owner=owner,
        sources=tuple(dict.fromkeys(sources)),
        scale=found.scale_with(check.options),
        raw=Raw(name=check.metric, low=0, high=1, passes="1"),
        when="end",
        reads=tuple(dict.fromkeys(_read(g, config) for g, config in getters)),
        acts_first=tuple(f"getter: {g.acts}" for g, _ in getters if g.acts),
        network=live,
        determinism="live" if live else "deterministic",
        agent_writable=_writable(result, check.result, expected, check.expected),
    )


def _source(upstream: Upstream, project: str, path: str) -> Source:
    return Source(project=project, package=upstream.package, version=upstream.version, path=path)


def _read(found: Getter, config: Any) -> str:
    where = _where(config)
    return f"{found.reads}: {where}" if where and not found.literal and found.machine else found.reads


def _where(config: Any) -> str:
    for key in ("path", "command", "ppt_file_path", "url", "app_class_name", "file_name"):
        if value := config.get(key):
            return _short(" ".join(map(str, value)) if isinstance(value, list) else str(value))
    return ""


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= CODE_WRITES else text[: CODE_WRITES - 1] + "…"


def _act(step: Step) -> str:
    """A postconfig step in one line, its type first: ``sleep: 0.5 s``."""
    p = step.parameters
    match step.type:
        case "sleep":
            return f"sleep: {p.get('seconds')} s"
        case "activate_window" | "close_window":
            return f"{step.type}: {p.get('window_name')}"
        case "download":
            return f"download: {', '.join(path for _, path in step.files)}"
        case "open":
            return f"open: {p.get('path')}"
        case "execute" | "command" | "launch":
            command = p.get("command", "")
            return f"{step.type}: {_short(' '.join(map(str, command)) if isinstance(command, list) else str(command))}"
        case _:
            return step.type


def _writable(result: Getter | None, result_config: Any, expected: Getter | None, expected_config: Any) -> AgentWritable:
    """An agent has the whole desktop, a terminal included; only what lies outside of the machine is out of its reach."""
    ways = []
    if result is not None and result.machine and not result.literal:
        ways.append(f"the agent can write what is read ({_read(result, result_config)}) from a terminal")
    if expected is not None and expected.machine and not expected.literal:
        ways.append(f"what it is compared with lies on the machine, too ({_read(expected, expected_config)})")
    return AgentWritable(value=bool(ways), how="; ".join(ways))


def _either(checks: list[VerifierDescriptor]) -> AgentWritable:
    ways = dict.fromkeys(check.agent_writable.how for check in checks if check.agent_writable.value)
    return AgentWritable(value=bool(ways), how="; ".join(ways))
