"""Change lines of the largest modules at random, and count the changes that tests notice.

python -m pip install cosmic-ray pytest-cov
pytest --cov=rankreport --cov-context=test --cov-report=
python scripts/mutants.py --seed 1

Each mutant is tried, in a copy of the last commit, by tests that run its line, or any of its
module where the line runs at the import: at most forty, those of the module's own file first. What
these do not notice is tried by whole files of tests, since tests of a file share what is made and
cached: that of the module, and the two that run the line most often. Decorators and annotations
are left as they are.
"""

from __future__ import annotations

import argparse
import ast
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from itertools import chain
from pathlib import Path

import cosmic_ray.plugins
from cosmic_ray.ast import Visitor, get_ast
from cosmic_ray.mutating import mutate_code
from coverage import CoverageData

from lines_of_code import PACKAGE, lines_of_code

ROOT = PACKAGE.parent
MOST_TESTS, MOST_FILES, SECONDS = 40, 3, 300
OPERATORS = [
    cosmic_ray.plugins.get_operator(name)()
    for name in cosmic_ray.plugins.operator_names()
    if "Variable" not in name and name != "core/RemoveDecorator"
]


class Places(Visitor):  # type: ignore[misc]
    """Collects the places of a module that an operator changes."""

    def __init__(self, operator: object) -> None:
        self.operator, self.found = operator, list[tuple[int, int]]()

    def visit(self, node: object) -> object:
        """Note where a node may be changed."""
        self.found += [start for start, _ in self.operator.mutation_positions(node)]
        return node


def mutants_of(source: str, n: int, draw: random.Random) -> list[tuple[int, str]]:
    """Return so many changed sources, each with the number of its line."""
    tree, places = get_ast(source), defaultdict(list)
    noted = set[int]()
    for node in ast.walk(ast.parse(source)):
        for part in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if part is not None:
                noted.update(range(part.lineno, part.end_lineno + 1))
    for operator in OPERATORS:
        visitor = Places(operator)
        visitor.walk(tree)
        for occurrence, place in enumerate(visitor.found):
            if place[0] not in noted:
                places[place].append((operator, occurrence))
    chosen = draw.sample(sorted(places), n)
    return [(place[0], mutate_code(source, *draw.choice(places[place]))) for place in chosen]


def own_file(path: Path) -> str:
    """Return the file of tests of a module."""
    return f"tests/{path.parts[1]}/test_{path.stem}.py"


def tests_of(path: Path, line: int, data: CoverageData, draw: random.Random) -> list[str]:
    """Return tests that run a line, or those of its module if it runs at the import."""
    (file,) = (name for name in data.measured_files() if name.endswith(str(path)))
    by_line = data.contexts_by_lineno(file)
    for contexts in (by_line.get(line, []), chain.from_iterable(by_line.values())):
        tests = sorted({each.rpartition("|")[0] for each in contexts} - {""})
        if tests:
            break
    draw.shuffle(tests)
    return sorted(tests, key=lambda test: not test.startswith(own_file(path)))


def files_of(tests: list[str], path: Path) -> list[str]:
    """Return the module's own file of tests, and those with most of these tests."""
    files = Counter(test.partition("::")[0] for test in tests)
    own = own_file(path)
    most = sorted(files, key=lambda file: (file != own, -files[file]))
    return most[:MOST_FILES]


def is_noticed(copy: Path, path: Path, source: str, tests: list[str]) -> bool:
    """Return whether a test fails, or never ends, where a module is this one."""
    before = (copy / path).read_text(encoding="utf-8")
    (copy / path).write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", *tests]
    try:
        ended = subprocess.run(  # noqa: S603
            command, cwd=copy, timeout=SECONDS, capture_output=True, check=False
        )
    except subprocess.TimeoutExpired:
        return True
    finally:
        (copy / path).write_text(before, encoding="utf-8")
    return ended.returncode != 0


def main() -> None:
    """Print each mutant that no test notices, and the share of those that one does."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name, default in (("seed", 0), ("modules", 10), ("each", 12)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    draw = random.Random(given.seed)  # noqa: S311
    data = CoverageData(str(ROOT / ".coverage"))
    data.read()
    sources = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    largest = sorted(sources, key=lambda path: -lines_of_code(sources[path]))[: given.modules]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "-q", ROOT, folder], check=True)  # noqa: S603, S607
        noticed = Counter[int | None]()
        for module in largest:
            path = module.relative_to(ROOT)
            for line, source in mutants_of(sources[module], given.each, draw):
                tests = tests_of(path, line, data, draw)
                by = next(
                    (
                        number
                        for number, some in enumerate([tests[:MOST_TESTS], files_of(tests, path)])
                        if some and is_noticed(Path(folder), path, source, some)
                    ),
                    None,
                )
                noticed[by] += 1
                if by is None:
                    print(f"{path}:{line}: {source.splitlines()[line - 1].strip()}", flush=True)
    n, by_tests, by_files = noticed.total(), noticed[0], noticed[1]
    print(f"Of {n} mutants, {by_tests} are noticed by single tests, {by_files} more by whole files")


if __name__ == "__main__":
    main()
