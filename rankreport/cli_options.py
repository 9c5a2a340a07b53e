"""The arguments and options that several commands share, and what the groups of them make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from rankreport import statistics
from rankreport.asking import chosen_measures, settled
from rankreport.cli_words import named_runs
from rankreport.comparing import compare
from rankreport.comparison import Comparison
from rankreport.errors import OptionError, choose
from rankreport.evaluating import DEFAULT_MEASURES, evaluate
from rankreport.evaluation import Evaluation
from rankreport.families import ACROSS
from rankreport.judging import NO_RELEVANT, PRECISION, QUERIES
from rankreport.measures import Measure
from rankreport.profiles import PROFILES
from rankreport.ranking import TIES
from rankreport.rendering.language import ENGLISH, languages
from rankreport.rendering.theme import Theme

__all__ = [
    "Asked",
    "Baseline",
    "Contrasted",
    "Dressed",
    "Qrels",
    "Require",
    "Required",
    "Resampled",
    "Rules",
    "Runs",
    "Structure",
    "check_alone",
    "compared",
]

Qrels = Annotated[
    Path,
    typer.Argument(
        metavar="QRELS",
        help="Judgments: TREC text, CSV, TSV, Parquet or JSON lines, plain, gzip or zstd; "
        "- for standard input.",
    ),
]
Runs = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN", help="Ranked results, in the same formats: a path, or name=path."
    ),
]
Baseline = Annotated[
    str, typer.Argument(metavar="BASELINE", help="The run that the others are compared with.")
]

_REQUIRE = typer.Option(
    "--require",
    metavar="REQUIREMENT",
    help="What the difference, candidate minus baseline, must be; again for more. "
    "'nDCG@10 > -0.01': falls by at most so much; 'RR@10 > 0': rises; 'abs(AP) < 0.02': "
    "changes by less than that either way.",
)
Require = Annotated[list[str] | None, _REQUIRE]
Required = Annotated[list[str], _REQUIRE]


@dataclass(frozen=True)
class Dressed:
    """How a report is dressed, and what it speaks."""

    title: Annotated[
        str | None, typer.Option("--title", metavar="TEXT", help="Stands above the verdict.")
    ] = None
    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            metavar="CODE",
            help=f"What the report speaks: {', '.join(languages())}. [default: {ENGLISH}]",
        ),
    ] = None
    templates: Annotated[
        Path | None,
        typer.Option(
            "--templates", metavar="DIR", help="A folder of templates that go before ours."
        ),
    ] = None
    logo: Annotated[
        Path | None, typer.Option("--logo", metavar="FILE", help="A PNG, JPEG or SVG.")
    ] = None
    accent: Annotated[
        str | None, typer.Option("--accent", metavar="COLOUR", help="Such as #0072B2.")
    ] = None
    introduction: Annotated[
        Path | None,
        typer.Option("--introduction", metavar="FILE", help="Markdown before the findings."),
    ] = None
    closing: Annotated[
        Path | None, typer.Option("--closing", metavar="FILE", help="Markdown after the findings.")
    ] = None

    def theme(self) -> Theme:
        """Return what the report wears."""
        return Theme(
            templates=self.templates,
            logo=self.logo,
            accent=self.accent,
            introduction=_text_of(self.introduction),
            closing=_text_of(self.closing),
        )


def _text_of(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise OptionError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise OptionError(f"{path} cannot be read as text ({error}).") from None


@dataclass(frozen=True)
class Asked:
    """Which measures."""

    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            metavar="MEASURE",
            help=f"Such as nDCG@10, AP(rel=2), map, ndcg_cut_10; again for more. "
            f"[default: {', '.join(DEFAULT_MEASURES)}]",
        ),
    ] = None
    primary: Annotated[
        str | None,
        typer.Option(
            "--primary", metavar="MEASURE", help="The one that decides. [default: the first]"
        ),
    ] = None

    @property
    def measures(self) -> Sequence[str]:
        """Those asked for, or the default ones."""
        return self.measure or DEFAULT_MEASURES


def _rule(option: str, what: str, rules: Mapping[str, str]) -> Any:
    help_text = f"{what}: {', '.join(rules)}. [default: {next(iter(rules))}, or the profile's]"
    return typer.Option(option, metavar="RULE", help=help_text)


@dataclass(frozen=True)
class Rules:
    """By which rules runs are evaluated."""

    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            metavar="TOOL",
            help=f"Give the numbers of another tool, and read its names of measures: "
            f"{', '.join(PROFILES)}.",
        ),
    ] = None
    ties: Annotated[str | None, _rule("--ties", "Order of equal scores", TIES)] = None
    query_set: Annotated[str | None, _rule("--query-set", "Which queries count", QUERIES)] = None
    no_relevant: Annotated[
        str | None, _rule("--no-relevant", "Queries with nothing relevant", NO_RELEVANT)
    ] = None
    precision: Annotated[
        str | None, _rule("--precision", "In which scores are compared", PRECISION)
    ] = None
    subtopics: Annotated[
        bool,
        typer.Option(
            "--subtopics",
            help="The judgments are of subtopics, which their second column names: for alpha_nDCG, "
            "ERR_IA and the other measures of diversity.",
        ),
    ] = False
    name_from: Annotated[
        str,
        typer.Option(
            "--name-from", metavar="FROM", help="What systems are named after: file or tag."
        ),
    ] = "file"

    def evaluation(
        self,
        qrels: Path,
        runs: Sequence[str],
        measures: Sequence[str | Measure],
        primary: str | Measure | None = None,
    ) -> Evaluation:
        """Evaluate runs by these rules."""
        return evaluate(
            str(qrels),
            named_runs(runs, self.name_from),
            measures,
            primary=primary,
            subtopics=self.subtopics,
            **self._checked(),
        )

    def measures(self, texts: Sequence[str]) -> tuple[Measure, ...]:
        """Read measures as these rules have them."""
        return chosen_measures(texts, settled(**self._checked()))

    def _checked(self) -> dict[str, str | None]:
        """Return the rules as `evaluate` calls them, refusing others by the option's name."""
        known: dict[str, tuple[str, str | None, Mapping[str, object]]] = {
            "--profile": ("profile", self.profile, PROFILES),
            "--ties": ("ties", self.ties, TIES),
            "--query-set": ("queries", self.query_set, QUERIES),
            "--no-relevant": ("no_relevant", self.no_relevant, NO_RELEVANT),
            "--precision": ("precision", self.precision, PRECISION),
        }
        for option, (_, given, rules) in known.items():
            if given is not None:
                choose(option, given, rules)
        return {name: given for name, given, _ in known.values()}


@dataclass(frozen=True)
class Resampled:
    """How sure: intervals, and the resamples that they are made of."""

    interval: Annotated[
        str,
        typer.Option(
            "--interval", metavar="KIND", help=f"One of {', '.join(statistics.INTERVALS)}."
        ),
    ] = "auto"
    correction: Annotated[
        str,
        typer.Option(
            "--correction",
            metavar="KIND",
            help=f"For several systems: one of {', '.join(statistics.CORRECTIONS)}.",
        ),
    ] = "max-t"
    confidence: Annotated[
        float, typer.Option("--confidence", metavar="SHARE", help="Of the intervals.")
    ] = 0.95
    resamples: Annotated[
        int, typer.Option("--resamples", metavar="N", help="Of the bootstrap.")
    ] = 10_000
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of everything random.")] = 0
    memory: Annotated[
        int, typer.Option("--memory", metavar="MIB", help="That a block of resamples may take.")
    ] = statistics.MEMORY // 2**20

    def options(self) -> dict[str, Any]:
        """Return what `compare` calls them."""
        return {**vars(self), "memory": self.memory * 2**20}


def _column(option: str, what: str) -> Any:
    return typer.Option(option, metavar="COLUMN", help=f"A column of --queries: {what}.")


@dataclass(frozen=True)
class Structure:
    """What is known of the queries, and how they hang together."""

    queries: Annotated[
        Path | None,
        typer.Option(
            "--queries", metavar="FILE", help="A table of query_id, text and any columns."
        ),
    ] = None
    weights: Annotated[
        str | None, _column("--weights", "what a query weighs, such as its share of the traffic")
    ] = None
    clusters: Annotated[
        str | None, _column("--clusters", "what queries are of, such as a user or a session")
    ] = None
    strata: Annotated[
        str | None, _column("--strata", "the part of the population that a query was drawn from")
    ] = None

    def options(self) -> dict[str, Any]:
        """Return what `compare` calls them."""
        return dict(vars(self))


@dataclass(frozen=True)
class Contrasted:
    """Which systems are compared, and what is said of their differences."""

    baselines: Annotated[
        list[str] | None,
        typer.Option(
            "--baseline",
            metavar="NAME",
            help="A system to compare with; again for more. [default: the first run]",
        ),
    ] = None
    all_pairs: Annotated[
        bool, typer.Option("--all-pairs", help="Compare every system with every other.")
    ] = False
    test: Annotated[
        str, typer.Option("--test", metavar="KIND", help=f"One of {', '.join(statistics.TESTS)}.")
    ] = "sign-flip"
    across: Annotated[
        str,
        typer.Option(
            "--across",
            metavar="WHAT",
            help=f"What several differences are corrected across: {' or '.join(ACROSS)}.",
        ),
    ] = "systems"
    margin: Annotated[
        float | None,
        typer.Option("--margin", metavar="X", help="The difference that would not matter."),
    ] = None
    segment: Annotated[
        list[str] | None,
        typer.Option(
            "--segment",
            metavar="COLUMN",
            help="A column of --queries to break the comparison down by; again for more.",
        ),
    ] = None

    def options(self) -> dict[str, Any]:
        """Return what `compare` calls them."""
        return {
            "baseline": self.baselines,
            "pairs": "all" if self.all_pairs else "baseline",
            "test": self.test,
            "across": self.across,
            "margin": self.margin,
            "segments": self.segment,
        }


_OF_QUERIES = {
    "weights": "--weights",
    "clusters": "--clusters",
    "strata": "--strata",
    "segments": "--segment",
}


def compared(evaluation: Evaluation, *groups: Resampled | Structure | Contrasted) -> Comparison:
    """Compare the systems of an evaluation as groups of options say.

    Raises
    ------
    OptionError
        If a column is named of a table that was not given, and as `compare` does.
    """
    options = {name: given for group in groups for name, given in group.options().items()}
    for name, option in _OF_QUERIES.items():
        if options.get(name) and options["queries"] is None:
            raise OptionError(
                f"{option} names a column of a table of the queries; give that too: --queries FILE."
            )
    return compare(evaluation, **options)


def check_alone(*groups: Resampled | Structure | Contrasted) -> None:
    """Refuse what makes a comparison where one run has none: it would be passed over in silence.

    Raises
    ------
    OptionError
        Naming the first option that is not as it is when nobody gives it.
    """
    for group in groups:
        usual = type(group)()
        for name, given in vars(group).items():
            # Texts of queries are told of one run as well.
            if name != "queries" and given not in (getattr(usual, name), []):
                option = "--baseline" if name == "baselines" else f"--{name.replace('_', '-')}"
                raise OptionError(f"{option} needs a second run to compare with it.{_hint(group)}")


def _hint(group: object) -> str:
    return _OTHER_INTERVALS if isinstance(group, Resampled) else ""


_OTHER_INTERVALS = (
    f" The levels of one run have {Resampled.confidence:.0%} intervals from "
    f"{Resampled.resamples:,} resamples; Evaluation.means() in Python makes others."
)
