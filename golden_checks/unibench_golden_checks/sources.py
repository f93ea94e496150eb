"""Names recipes by their code: what a recipe's modules say, and all that they import from here."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from pathlib import Path

_ROOT = __name__.rpartition(".")[0]


def digest_of(modules: Iterable[str], *, besides: Collection[str] = ()) -> str:
    """A digest of the modules' sources and of those that they import from this package or run as programs, to any depth.

    Args:
        modules: names of modules of this package.
        besides: names of modules that no decision depends on.
    """
    found: dict[str, str] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in found and name not in besides:
            found[name] = _text(name)
            waiting += _imported(name)
    return hashlib.sha256("".join(found[name] for name in sorted(found)).encode()).hexdigest()[:32]


def _text(name: str) -> str:
    path = _path(name)
    assert path is not None, name
    return path.read_text(encoding="utf-8")


def _path(name: str) -> Path | None:
    stem = Path(__file__).parent.joinpath(*name.split(".")[1:])
    return next((path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()), None)


@cache
def _imported(name: str) -> tuple[str, ...]:
    """The modules of this package that a module imports, within functions too, or runs by its file's name."""
    beside = name.rpartition(".")[0]
    nodes = list(ast.walk(ast.parse(_text(name))))
    found = [each for node in nodes for each in _names(node) if _is_ours(each)]
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    programs = [text.removesuffix(".py") for text in texts if text.endswith(".py")]
    found += [each for program in programs if program.isidentifier() and _path(each := f"{beside}.{program}")]
    return tuple(dict.fromkeys(found))


def _names(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from (each.name for each in names)
        case ast.ImportFrom(module=str(module), names=names):
            yield module
            if _is_ours(module):  # a package's modules are imported as names too
                yield from (full for each in names if _path(full := f"{module}.{each.name}"))


def _is_ours(module: str) -> bool:
    return module == _ROOT or module.startswith(f"{_ROOT}.")
