"""Count the lines of code of each package: lines with more than comments, docstrings and blanks.

python scripts/lines_of_code.py
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "rankreport"

NO_CODE = frozenset(
    {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    }
)
"""Kinds of tokens that make no line one of code."""


def lines_of_code(source: str) -> int:
    """Return how many lines of a module hold code."""
    held: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NO_CODE:
            held.update(range(token.start[0], token.end[0] + 1))
    return len(held - _docstring_lines(ast.parse(source)))


def _docstring_lines(tree: ast.Module) -> set[int]:
    lines: set[int] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        match node.body:
            case [ast.Expr(ast.Constant(str())) as docstring, *_]:
                lines.update(range(docstring.lineno, (docstring.end_lineno or 0) + 1))
    return lines


def main() -> None:
    """Print the lines of each package, and of all."""
    counts: Counter[str] = Counter()
    for path in sorted(PACKAGE.rglob("*.py*")):
        if path.suffix in {".py", ".pyi"}:
            package = path.relative_to(PACKAGE).parts[0]
            counts[package.partition(".")[0]] += lines_of_code(path.read_text(encoding="utf-8"))
    for package, n in counts.most_common():
        print(f"{n:>7,}  {package}")
    print(f"{counts.total():>7,}  lines of code in all")


if __name__ == "__main__":
    main()
