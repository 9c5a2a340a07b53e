"""Options of trec_eval and other tools in the shell: which are ours, and what to write instead."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager

from rankreport.errors import suggestion
from rankreport.shown_addresses import without_secrets

_SAME = {"--metric": "--measure", "--metrics": "--measure", "-c": "--query-set=judged"}
"""Options of trec_eval and other tools, and ours that mean the same."""

_ORDER = "Judgments and runs are no options: they stand in the order of the usage."
_REQUIRED = "A requirement names its measure: --require 'nDCG@10 > -0.01'."

_ELSEWHERE = {
    "-q": "The values of each query, in place of means: rankreport evaluate --per-query.",
    "-l": "The lowest relevant grade belongs to a measure: -m 'AP(rel=2)'.",
    "-M": "The depth belongs to a measure: -m AP@10.",
    **dict.fromkeys(("-n", "-N"), "It is not needed: leave it out."),
    "-J": "Judged documents only is of a measure: -m 'AP(judged_only=True)'.",
    **dict.fromkeys(("--k", "--cutoff"), "The cut-off belongs to a measure: -m nDCG@10."),
    **dict.fromkeys(("--metric", "--metrics", "--measure", "-m", "--max-drop"), _REQUIRED),
    **dict.fromkeys(("--qrels", "--run", "--runs", "--baseline", "--candidate"), _ORDER),
}
"""Options of trec_eval and other tools, and what to write."""


@contextmanager
def ours_in_usage_errors(options: Iterable[str] = ()) -> Iterator[None]:
    """Let a usage error name our options for those of trec_eval, and show no secrets."""
    try:
        yield
    except Exception as error:
        if hasattr(error, "format_message"):  # of Click, or of Typer's own copy of it
            given = vars(error)
            unknown = given.get("option_name")
            asked = [unknown, *options] if options and unknown in _ELSEWHERE else []
            remedies = dict.fromkeys(_ELSEWHERE[each] for each in asked if each in _ELSEWHERE)
            said = [given["message"], " ".join(remedies)]
            given["message"] = without_secrets(". ".join(filter(None, said)))
            if given.get("possibilities"):  # of which some are hardly similar
                near = suggestion(given["option_name"], given["possibilities"])
                given["possibilities"] = near.split("'")[1:2]  # of "Did you mean '--ties'?"
        raise


def as_our_option(given: str, own: Container[str]) -> str:
    """Return an option of another tool as ours, if these options have it.

    >>> as_our_option("--metrics=AP", ["--measure"]), as_our_option("-c", ["--measure"])
    ('--measure=AP', '-c')
    """
    name, *value = given.split("=", 1)
    ours = _SAME.get(name, "").partition("=")[0]
    return "=".join([_SAME[name], *value]) if ours in own else given
