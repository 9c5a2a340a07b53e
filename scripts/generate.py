"""Write the documentation generated from declarations, or check that it is up to date.

python scripts/generate.py [--check]

docs/agreement.md is generated entirely. Other pages of docs/ have generated tables between
``<!-- generated: NAME -->`` and ``<!-- end -->``; docstrings have generated lists between
``.. generated: NAME`` and ``.. end``. With --check nothing is written, and the exit code is 1 if
anything is stale.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType

from typer.main import get_command

import agreement_page
from rankreport import comparison, evaluation, labels, planning, statistics
from rankreport.cli import catalogue
from rankreport.cli.app import app
from rankreport.column_names import ALIASES
from rankreport.comparison import COLUMNS
from rankreport.evaluation import COLLAPSE
from rankreport.io import NAMED_FORMATS
from rankreport.measures import TIES
from rankreport.text import CautionKind

ROOT = Path(__file__).resolve().parents[1]
COMMAND = "python scripts/generate.py"
WIDTH = 100

PAGES: Mapping[str, Callable[[], str]] = {
    "docs/agreement.md": agreement_page.page,
}
"""Generated pages, by path."""


def structures() -> Iterator[str]:
    """Yield a Markdown table of intervals, tests and corrections by structure of the queries."""
    yield "| structure | `auto` is | intervals | tests | corrections |"
    yield "| --- | --- | --- | --- | --- |"
    together: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for structure, allowed, auto in statistics.matrix():
        names = tuple(", ".join(f"`{name}`" for name in of_kind) for of_kind in allowed)
        together.setdefault(names, []).append((" and ".join(structure) or "none", auto))
    for names, alike in together.items():
        kinds, autos = map("; ".join, zip(*alike, strict=True))
        yield f"| {kinds} | {autos} | {' | '.join(names)} |"


def kinds_in(package: ModuleType) -> list[CautionKind]:
    """Return the kinds of caution that a package declares, by code."""
    found = pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    own = [importlib.import_module(each.name) for each in found]
    kinds = (kind for each in own for kind in vars(each).values() if isinstance(kind, CautionKind))
    return sorted({kind.code: kind for kind in kinds}.values(), key=lambda each: each.code)


def cautions_of(package: ModuleType, *others: ModuleType) -> Iterator[str]:
    """Yield a Markdown list of the kinds of caution of a package that are not those of others."""
    known = {kind.code for other in others for kind in kinds_in(other)}
    yield ""
    for kind in kinds_in(package):
        if kind.code not in known:
            yield f"- `{kind.code}`: {kind.title}. {kind.remedy}".rstrip()
    yield ""


def column_aliases() -> Iterator[str]:
    """Yield a Markdown table of the names of columns in sources."""
    yield "| column | names that are read |"
    yield "| --- | --- |"
    for column, names in ALIASES.items():
        yield f"| `{column}` | {', '.join(f'`{name}`' for name in names)} |"


def measures() -> Iterator[str]:
    """Yield a Markdown table of the measures."""
    yield "| measure | what it is |"
    yield "| --- | --- |"
    for _, each in catalogue.by_family():
        words = " ".join(each.declaration.doc.partition("\n\n")[0].split()).rstrip(".")
        values = dict(catalogue.facts(each))["range"]
        noted = [values] if values != "0 to 1" else []
        noted += ["0 / 0"] if each.normalised else []
        yield f"| `{catalogue.short(each)}` | {words}{''.join(f'; {note}' for note in noted)} |"


def rules_in_words(option: str, rules: Mapping[str, str]) -> Iterator[str]:
    """Yield a Markdown table of the values of an option."""
    yield f"| {option} | what it is |"
    yield "| --- | --- |"
    for name, words in rules.items():
        yield "| `{}` | {} |".format(name, words.replace("|", r"\|"))


def outputs() -> Iterator[str]:
    """Yield a Markdown table of the files that each command writes."""
    yield "| command | `-o` writes |"
    yield "| --- | --- |"
    for name, command in get_command(app).commands.items():
        for option in command.loaded.params:
            if option.name == "output" and option.metavar == "FILE":
                words = re.sub("Output file(: | for )", "", option.help.partition(";")[0])
                listed = re.sub(r"\.[a-z]+", r"`\g<0>`", words.rstrip("."))
                yield f"| `{name}` | {listed} |"


TABLES: Mapping[str, Callable[[], Iterator[str]]] = {
    "column aliases": column_aliases,
    "cautions on data": partial(cautions_of, evaluation),
    "cautions on comparisons": partial(cautions_of, comparison, evaluation),
    "cautions on judgments": partial(cautions_of, labels),
    "cautions on plans": partial(cautions_of, planning, comparison),
    "measures": measures,
    "outputs of commands": outputs,
    "source formats": partial(rules_in_words, "`--from`", NAMED_FORMATS),
    "structures": structures,
    "tie rules": partial(
        rules_in_words, "`--ties`", {name: rule.words for name, rule in TIES.items()}
    ),
    "ties of rankings": partial(rules_in_words, "`ties`", labels.RANKING_TIES),
}
"""Generated tables in Markdown, by name."""


def listed_columns() -> Iterator[str]:
    """Yield a list of the columns of a comparison."""
    for each in COLUMNS:
        caution = f". Do not trust it {each.caution}" if each.caution else ""
        yield f"- ``{each.name}`` ({each.dtype.__name__}): {_literal(each.meaning + caution)}"


def listed_tie_rules() -> Iterator[str]:
    """Yield a list of the tie rules."""
    for place, rule in enumerate(TIES.values()):
        yield f'- ``"{rule.name}"``{"" if place else " (the default)"}: {rule.words}'


def listed_rules(rules: Mapping[str, str]) -> Iterator[str]:
    """Yield a list of the values of an option."""
    for name, words in rules.items():
        yield f'- ``"{name}"``: {words}'


LISTS: Mapping[str, Callable[[], Iterator[str]]] = {
    "comparison columns": listed_columns,
    "tie rules": listed_tie_rules,
    "collapse rules": partial(listed_rules, COLLAPSE),
    "ties of rankings": partial(listed_rules, labels.RANKING_TIES),
}
"""Generated lists in docstrings, by name."""

_IN_MARKDOWN = re.compile(
    r"(?P<opening><!-- generated: (?P<name>.+?) -->\n).*?(?P<closing><!-- end -->)", re.DOTALL
)
_IN_DOCSTRING = re.compile(
    r"(?P<opening>^(?P<indent> *)\.\. generated: (?P<name>.+?)\n).*?(?P<closing>^ *\.\. end\n)",
    re.DOTALL | re.MULTILINE,
)


def generated() -> Iterator[tuple[Path, str]]:
    """Yield each file with generated parts, and its up-to-date text."""
    for path, page in PAGES.items():
        yield ROOT / path, page()
    for path in sorted((ROOT / "docs").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        if _IN_MARKDOWN.search(text):
            yield path, _IN_MARKDOWN.sub(_table, text)
    for path in sorted((ROOT / "rankreport").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if _IN_DOCSTRING.search(text):
            yield path, _IN_DOCSTRING.sub(_list, text)


def stale() -> dict[Path, str]:
    """Return the stale files with their up-to-date text."""
    return {
        path: text
        for path, text in generated()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    }


def _table(found: re.Match[str]) -> str:
    rows = "".join(f"{row}\n" for row in TABLES[found["name"]]())
    return f"{found['opening']}{rows}{found['closing']}"


def _list(found: re.Match[str]) -> str:
    indent = found["indent"]
    items = "\n".join(
        textwrap.fill(
            item,
            WIDTH,
            initial_indent=indent,
            subsequent_indent=f"{indent}  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for item in LISTS[found["name"]]()
    )
    return f"{found['opening']}\n{items}\n\n{found['closing']}"


def _literal(text: str) -> str:
    """Convert Markdown literals to reStructuredText."""
    return re.sub(r"`([^`]+)`", r"``\1``", text)


def main() -> int:
    """Write or list stale files."""
    parser = argparse.ArgumentParser(
        description="Write the documentation generated from declarations."
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if stale")
    check = parser.parse_args().check
    found = stale()
    for path, text in found.items():
        if not check:
            path.write_text(text, encoding="utf-8")
        print(f"{'stale' if check else 'wrote'} {path.relative_to(ROOT)}")
    return int(check and bool(found))


if __name__ == "__main__":
    sys.exit(main())
