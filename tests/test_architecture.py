"""The architecture: packages import in one direction, and nobody reaches into another package's private names."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import chronotope

SOURCE = Path(chronotope.__file__).parent
ORDER = (  # from the ground up: a package imports only from rows above its own, see CONTRIBUTING.md
    ("_typing", "_version", "_deprecated"),
    ("dates",),
    ("storage",),
    ("loops",),
    ("cluster",),
    ("text",),
    ("kernels",),
    ("display",),
    ("corpus",),
    ("gp",),
    ("inference",),
    ("topics",),
    ("dating",),
    ("readers",),
    ("model",),
    ("evaluate",),
    ("analysis",),
    ("plots", "datasets"),
    ("report",),
    ("cli",),
    ("__main__",),
)
FLOOR = {package: floor for floor, packages in enumerate(ORDER) for package in packages}
PUBLIC = "__init__"  # the public names of the whole, loaded when asked for: it may name every package


class Import(NamedTuple):
    """An import of one of our names: the module it is in, its line, the module imported from, and the name."""

    importer: str
    line: int
    module: str
    name: str


def modules(root: Path) -> dict[str, Path]:
    """Dotted names below the package, and their files."""
    paths = sorted(root.rglob("*.py"))
    return {".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path for path in paths}


def imports(root: Path) -> Iterator[Import]:
    """Every import of our own modules, at the top, inside functions and for type checking alike."""
    for importer, path in modules(root).items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "chronotope":
                assert node.level == 0
                for alias in node.names:
                    yield Import(
                        importer, node.lineno, str(node.module).removeprefix("chronotope").lstrip("."), alias.name
                    )
            elif isinstance(node, ast.ImportFrom) and node.level:
                yield Import(importer, node.lineno, "relative import", "")
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name.split(".")[0] == "chronotope":
                        yield Import(importer, node.lineno, alias.name.removeprefix("chronotope").lstrip("."), "")


def package_of(module: str) -> str:
    return module.split(".")[0]


def wrong_edges(root: Path) -> list[str]:
    """Imports that point up, sideways, or at a private name of another package."""
    found = []
    for importer, line, module, name in imports(root):
        target = module or name  # from chronotope import kernels
        here, there = package_of(importer), package_of(target)
        if here == PUBLIC or (here == there and "relative" not in module):
            continue
        private = [part for part in (*target.split(".")[1:], name) if part.startswith("_") and not part.endswith("__")]
        if here not in FLOOR or there not in FLOOR or FLOOR[there] >= FLOOR[here]:
            found.append(f"{importer}:{line} imports {target}: {there} does not lie below {here}")
        elif private:
            found.append(f"{importer}:{line} imports {target}.{name}: private to {there}")
    return found


def cycles(root: Path) -> list[list[str]]:
    """Groups of modules that import each other in a circle, by whatever kind of import."""
    known = modules(root)
    graph: dict[str, set[str]] = {name: set() for name in known}
    for importer, _, module, name in imports(root):
        inner = f"{module}.{name}" if module else name
        target = inner if inner in known else module
        if importer != PUBLIC and target in known and target not in (importer, "", package_of(importer)):
            graph[importer].add(target)
    return strongly_connected(graph)


def strongly_connected(graph: dict[str, set[str]]) -> list[list[str]]:
    """Components of more than one node, by Tarjan's algorithm."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            component = []
            while not component or component[-1] != node:
                component.append(stack.pop())
            if len(component) > 1:
                found.append(sorted(component))

    for node in graph:
        if node not in index:
            visit(node)
    return found


def test_imports_point_down_and_reach_into_no_private_names():
    assert wrong_edges(SOURCE) == []


def test_no_modules_import_each_other_in_a_circle():
    assert cycles(SOURCE) == []


def test_every_package_has_its_place_in_the_order():
    packages = {package_of(name) for name in modules(SOURCE)} - {PUBLIC, ""}
    assert packages == set(FLOOR)


@pytest.mark.parametrize(
    ("where", "planted", "complaint"),
    [
        ("gp/base.py", "from chronotope.inference.loop import SWEEPS", "inference does not lie below gp"),
        ("gp/base.py", "def late():\n    from chronotope.model import load", "model does not lie below gp"),
        ("dates/parse.py", "if TYPE_CHECKING:\n    import chronotope.corpus.corpus", "corpus does not lie below dates"),
        ("kernels/base.py", "def late():\n    from chronotope import cli", "cli does not lie below kernels"),
        ("plots/axes.py", "from chronotope.datasets import sotu", "datasets does not lie below plots"),
        ("report/axis.py", "from chronotope.kernels.parse import _tokens", "private to kernels"),
        ("model/plan.py", "from ..gp import base", "relative import"),
    ],
)
def test_a_wrong_edge_is_found(tmp_path, where, planted, complaint):
    path = tmp_path / where
    path.parent.mkdir(parents=True)
    path.write_text(f"from typing import TYPE_CHECKING\n\n{planted}\n")
    assert complaint in "\n".join(wrong_edges(tmp_path))


def test_a_circle_inside_functions_is_found(tmp_path):
    package = tmp_path / "gp"
    package.mkdir()
    for here, there in (("grid", "markov"), ("markov", "dense"), ("dense", "grid")):
        code = f"def late():\n    from chronotope.gp.{there} import anything\n"
        (package / f"{here}.py").write_text(textwrap.dedent(code))
    assert cycles(tmp_path) == [["gp.dense", "gp.grid", "gp.markov"]]


def test_no_public_function_has_the_name_of_its_module():
    named = []
    for name, path in modules(SOURCE).items():
        defined = {node.name for node in ast.parse(path.read_text(encoding="utf-8")).body if hasattr(node, "name")}
        if name.rsplit(".", 1)[-1] in defined:
            named.append(name)
    assert named == []


def test_a_public_name_means_one_thing():
    homes: dict[str, list[str]] = {}
    for name, path in modules(SOURCE).items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(name)
    several = {name: where for name, where in homes.items() if len(where) > 1}
    every_command = [name for name in modules(SOURCE) if name.startswith("cli.")]
    assert set(several.pop("command", [])) <= set(every_command)  # the one function of every command's file
    assert several == {}
