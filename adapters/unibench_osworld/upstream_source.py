"""What upstream's evaluator code offers, read from its source without importing it.

Upstream's modules pull in gigabytes when imported. Their syntax trees say all that a static check needs: which metrics and
getters there are, where they stand, and which keys of a configuration their code ever mentions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PathDistribution
from pathlib import Path

from unibench.errors import Unavailable

GETTER_PREFIX = "get_"


@dataclass(frozen=True)
class Function:
    """A metric or a getter.

    Attributes:
        path: its file, inside the package (``desktop_env/evaluators/metrics/table.py``).
        parameters: the names of its parameters, in order.
        takes_any: it has ``**options``.
        mentions: every string in its file and in those beside it that it imports: a key that is not among them is never read.
        tells_lists: it asks whether something is a list.
    """

    name: str
    path: str
    parameters: tuple[str, ...] = ()
    takes_any: bool = False
    mentions: frozenset[str] = frozenset()
    tells_lists: bool = False


@dataclass
class UpstreamSource:
    """An installed ``desktop_env`` package, or the one of a checkout.

    Attributes:
        folder: the package's folder.
        version: the distribution's version; ``checkout`` if it is none.
        metrics, getters: by the names that task files use.
        setup: the steps that the set-up controller knows, with their parameters.
        setup_any: those of them that take any parameter.
        providers: the names that upstream's factory of machines knows; empty if it has none.
    """

    folder: Path
    version: str
    metrics: dict[str, Function] = field(default_factory=dict)
    getters: dict[str, Function] = field(default_factory=dict)
    setup: dict[str, tuple[str, ...]] = field(default_factory=dict)
    setup_any: frozenset[str] = frozenset()
    providers: tuple[str, ...] = ()

    def lacks(self, metrics: Iterator[str] | list[str], getters: Iterator[str] | list[str]) -> list[str]:
        """The functions and getters among those named that this version does not have."""
        return [f"function {m}" for m in metrics if m not in self.metrics] + [f"getter {g}" for g in getters if g not in self.getters]


def read_upstream(folder: Path) -> UpstreamSource:
    """Reads a ``desktop_env`` package. Repeated calls for one folder are free.

    Raises:
        Unavailable: the folder is no such package.
    """
    return _read(folder.resolve())


@cache
def _read(folder: Path) -> UpstreamSource:
    evaluators = folder / "evaluators"
    if not (evaluators / "metrics" / "__init__.py").is_file():
        raise Unavailable(f"{folder} is no desktop_env package: it has no evaluators/metrics")
    source = UpstreamSource(folder, _version(folder))
    source.metrics.update(_exported(evaluators / "metrics", folder))
    getters = _exported(evaluators / "getters", folder)
    source.getters.update({name.removeprefix(GETTER_PREFIX): f for name, f in getters.items() if name.startswith(GETTER_PREFIX)})
    any_ = set()
    for node in ast.walk(_parse(folder / "controllers" / "setup.py")):
        if isinstance(node, ast.FunctionDef) and node.name.endswith("_setup") and node.name.startswith("_"):
            step = node.name[1:].removesuffix("_setup")
            source.setup[step] = tuple(_parameters(node)[1:])
            if node.args.kwarg:
                any_.add(step)
    source.setup_any = frozenset(any_)
    source.providers = tuple(_providers(folder / "providers" / "__init__.py"))
    return source


def _providers(factory: Path) -> Iterator[str]:
    """What ``create_vm_manager_and_provider`` compares the provider's name with; a folder beside it may have no branch (gcp, 1.0.2)."""
    for node in ast.walk(_parse(factory)) if factory.is_file() else ():
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and node.left.id == "provider_name":
            named = (each for comparator in node.comparators for each in ast.walk(comparator))
            yield from (each.value for each in named if isinstance(each, ast.Constant) and isinstance(each.value, str))


def _parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8", errors="replace"), filename=str(path))


def _parameters(node: ast.FunctionDef) -> list[str]:
    return [arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]


def _exported(package: Path, root: Path) -> dict[str, Function]:
    """What a package's ``__init__.py`` imports from its modules, and what it defines."""
    found: dict[str, Function] = {}
    init = package / "__init__.py"
    modules: dict[str, dict[str, Function]] = {}
    for node in _parse(init).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = _function(node, init, root, frozenset())
        elif isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            path = package / f"{node.module}.py"
            if path.is_file() and node.module not in modules:
                modules[node.module] = _functions(path, root)
            for alias in node.names:
                if function := modules.get(node.module, {}).get(alias.name):
                    found[alias.asname or alias.name] = function
    return found


def _functions(path: Path, root: Path) -> dict[str, Function]:
    tree = _parse(path)
    mentions = _mentions(tree).union(*(_mentions(_parse(each)) for each in _siblings(tree, path)))
    found = {node.name: _function(node, path, root, mentions) for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in tree.body:  # ``get_url_path_parse = get_active_tab_url_parse``, and such
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in found:
            found.update({t.id: found[node.value.id] for t in node.targets if isinstance(t, ast.Name)})
    return found


def _mentions(tree: ast.Module) -> frozenset[str]:
    return frozenset(n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str))


def _siblings(tree: ast.Module, path: Path) -> list[Path]:
    """The modules of the same folder that a module imports from: options are handed on to them whole."""
    names = {node.module.rpartition(".")[2] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    return [each for name in sorted(names) if (each := path.parent / f"{name}.py").is_file() and each != path]


def _function(node: ast.FunctionDef, path: Path, root: Path, mentions: frozenset[str]) -> Function:
    return Function(
        node.name, str(path.relative_to(root.parent)), tuple(_parameters(node)), node.args.kwarg is not None, mentions, _tells_lists(node)
    )


def _tells_lists(node: ast.FunctionDef) -> bool:
    asked = (n.args[1] for n in ast.walk(node) if isinstance(n, ast.Call) and ast.unparse(n.func) == "isinstance" and len(n.args) == 2)
    return any("list" in ast.unparse(each).lower() for each in asked)


def _version(folder: Path) -> str:
    for info in folder.parent.glob("desktop_env-*.dist-info"):
        return str(PathDistribution(info).version)
    return "checkout"
