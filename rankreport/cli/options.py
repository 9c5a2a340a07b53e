"""Arguments and groups of options shared by commands.

A group is a dataclass, some with methods that evaluate or compare with its options. The module also
names runs, and formats the command line for a report's provenance.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

import rankreport as rr
from rankreport import evaluation, io, statistics
from rankreport.cli.grouping import option_of
from rankreport.cli.interrupts import interrupts_raised
from rankreport.errors import NOT_UTF8, DataError, MeasureError, OptionError, choose
from rankreport.evaluation import (
    COLLAPSE,
    DEFAULT_MEASURES,
    MEMORY_HELP,
    NO_RELEVANT,
    PRECISION,
    PROFILES,
    QUERIES,
    chosen_measures,
    settled,
)
from rankreport.frames import whole_dataset
from rankreport.labels import COMBINED
from rankreport.measures import TIES, Measure
from rankreport.shown_addresses import shown_address
from rankreport.text import ENGLISH, labelled, languages, paragraph

if TYPE_CHECKING:
    from rankreport.evaluation import DataCheck, Evaluation
    from rankreport.reports import Theme


def named_runs(runs: Sequence[str], name_from: str, *, repeats: bool = False) -> dict[str, Any]:
    """Return the path of each run by the name of its system, or the parts of a file with several.

    With `repeats`, a system that ``name=path`` names several times has a list of runs.

    Raises
    ------
    OptionError
        If two runs have the same name.
    """
    choose("--name-from", name_from, ("file", "tag"))
    named: dict[str, Any] = {}
    paths: dict[str, str] = {}
    for given in runs:
        name, equals, path = given.partition("=")
        alone = io.is_file(given) or io.is_url(given)
        if repeats and name in named and equals and not alone:
            before = named[name]
            run = path if io.is_url(path) else Path(path)  # whether or not there is such a file
            named[name] = [*(before if isinstance(before, list) else [before]), run]
            continue
        if not equals or not name or os.sep in name or alone:
            path = given
            held = {io.run_tag(path): path} if name_from == "tag" else io.systems_of(path)
        else:
            held = {name: path}
        for system, run in held.items():
            if system in named:
                raise OptionError(
                    f"Two runs are named {system!r}: {paths[system]} and {shown_address(path)}. "
                    f"Name one: other={shown_address(path)}, or, if it is another run of the same "
                    f"system, give it the name: {system}={shown_address(path)}"
                )
            named[system], paths[system] = run, shown_address(path)
    return named


def _names_measures(given: str, settings: Mapping[str, str] | None = None) -> bool:
    """Return whether an argument is measures among the runs, as ir_measures has them."""
    if io.is_file(given) or io.is_url(given) or os.sep in given:
        return False
    with suppress(MeasureError):
        return bool(chosen_measures(given, settings or settled(None)))
    return False


def paths_of(runs: Mapping[str, str | Sequence[str] | None]) -> list[str]:
    """Return the runs that arguments name, by their names; each holds one or several, or none."""
    each = ([given] if isinstance(given, str) else given or () for given in runs.values())
    return list(chain.from_iterable(each))


def command_as_given() -> str:
    """Return the command line without absolute folders, which may hold names of people.

    Addresses are without what may be secret.
    """

    def shortened(word: str) -> str:
        option = re.match(r"--?[\w-]+=|-\w(?=/)|[^=/]+=", word)
        before = option[0] if option else ""
        path = Path(word.removeprefix(before))
        if path.is_absolute():
            return f"{before}{shown_address(path.name)}"
        return re.sub(r"file:/.*/", "", shown_address(word))

    return shlex.join(["rankreport", *map(shortened, sys.argv[1:])])


_QRELS_HELP = (
    "Judgments: TREC text, CSV, TSV, Parquet, JSON lines or JSON, also gzip or zstd; a BEIR folder "
    "or an export of a search engine; - for standard input."
)
_RUN_HELP = "Ranked results: path or name=path; one name for repeats."
Qrels = Annotated[str, typer.Argument(metavar="QRELS", help=_QRELS_HELP)]
Runs = Annotated[list[str], typer.Argument(metavar="RUN", help=_RUN_HELP)]

_LABELLED = " Not with --labelled."
GivenBaseline = Annotated[
    str | None, typer.Argument(metavar="BASELINE", help=f"Baseline run.{_LABELLED}")
]
GivenQrels = Annotated[
    str | None, typer.Argument(metavar="QRELS", help=f"{_QRELS_HELP}{_LABELLED}")
]
GivenRuns = Annotated[
    list[str] | None, typer.Argument(metavar="RUN", help=f"{_RUN_HELP}{_LABELLED}")
]

_REQUIREMENT = (
    "Requirement on the difference, candidate minus baseline; repeatable. "
    "'nDCG@10 > -0.01': falls by less than 0.01; 'RR@10 > 0': rises; 'abs(AP) < 0.02': "
    "changes by less than 0.02 in either direction."
)
_OF_GROUPS = (
    "'nDCG@10 > -0.02 in every intent': in each group by a column of --queries; "
    "'nDCG@10 not below -0.02 in any intent': none is shown below."
)
Require = Annotated[list[str] | None, option_of("REQUIREMENT", _REQUIREMENT)]
Required = Annotated[list[str], option_of("REQUIREMENT", f"{_REQUIREMENT} {_OF_GROUPS}")]

Memory = Annotated[str | None, option_of("SIZE", MEMORY_HELP)]

Aggregate = Annotated[
    str | None,
    option_of(
        "NAME",
        f"Print another aggregate than the mean, with intervals: "
        f"{', '.join(statistics.AGGREGATES)}, or a quantile such as p90.",
        "-a --aggregate",
    ),
]

ReportDate = Annotated[
    str | None,
    option_of(
        "DATE",
        "Date of the report, such as 2026-11-22. [default: SOURCE_DATE_EPOCH or today]",
    ),
]


@dataclass(frozen=True)
class ThemeOptions:
    """Theme, texts, date and language of a report."""

    title: Annotated[str | None, option_of("TEXT", "Report title.")] = None
    date: ReportDate = None
    language: Annotated[
        str | None,
        option_of("CODE", f"Report language: {', '.join(languages())}. [default: {ENGLISH}]"),
    ] = None
    templates: Annotated[
        Path | None,
        option_of(
            "DIR",
            "Templates that override the built-in ones. They are code: use only those you trust.",
        ),
    ] = None
    logo: Annotated[Path | None, option_of("FILE", "Logo: a PNG, JPEG or SVG file.")] = None
    accent: Annotated[str | None, option_of("COLOUR", "Accent colour, such as #0072B2.")] = None
    introduction: Annotated[
        Path | None, option_of("FILE", "Markdown text before the findings.")
    ] = None
    closing: Annotated[Path | None, option_of("FILE", "Markdown text after the findings.")] = None

    def theme(self) -> Theme:
        """Return the theme of the report."""
        return rr.Theme(
            templates=self.templates,
            logo=self.logo,
            accent=self.accent,
            introduction=_text_of("introduction", self.introduction),
            closing=_text_of("closing text", self.closing),
        )


def _text_of(what: str, path: Path | None) -> str:
    if path is None:
        return ""
    io.check_local(what, path)
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise OptionError(f"{shown_address(path)} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise OptionError(f"{shown_address(path)} {NOT_UTF8}") from None


class Wanted(NamedTuple):
    """What is evaluated: measures, which of them is primary, and in how much memory."""

    measures: Sequence[str | Measure]
    primary: str | Measure | None = None
    memory: str | None = None


@dataclass(frozen=True)
class MeasureOptions:
    """Measures to compute."""

    measure: Annotated[
        list[str] | None,
        option_of(
            "MEASURE",
            f"Measure such as nDCG@10, AP(rel=2), map or ndcg_cut_10; repeatable. "
            f"[default: {', '.join(DEFAULT_MEASURES)}]",
            "-m --measure",
        ),
    ] = None
    primary: Annotated[
        str | None, option_of("MEASURE", "Primary measure. [default: the first]")
    ] = None

    def within(self, memory: str | None) -> Wanted:
        """Return what is evaluated: the requested measures, or the default ones."""
        return Wanted(self.measure or DEFAULT_MEASURES, self.primary, memory)


@dataclass(frozen=True)
class LabelledOptions:
    """A labelled list, or records of what was retrieved, instead of judgments and runs."""

    labelled: Annotated[
        str | None,
        option_of(
            "FILE",
            "Labelled list instead of QRELS and RUN: 'label qid score' on each line, a table "
            "with these columns, or SVMlight text with --scores; - for standard input. Equal "
            "scores keep their order, unless --ties or --profile says otherwise.",
        ),
    ] = None
    scores: Annotated[
        list[str] | None,
        option_of(
            "FILE",
            "Scores for the labelled list, one number on each line, or a column of it: path, "
            "name=path or column; repeatable.",
        ),
    ] = None
    group: Annotated[
        str | None,
        option_of(
            "FILE",
            "Number of documents of each query of the labelled list, one on each line, as "
            "LightGBM's .query.",
        ),
    ] = None
    datasets: Annotated[
        str | None,
        option_of(
            "FOLDER",
            "Folder of several data sets, each as BEIR has it or with qrels.txt, instead of QRELS. "
            "RUN is then a pattern such as 'runs/{system}/{dataset}.trec', or a folder "
            "[default: runs in FOLDER]. With --from mteb, results that MTEB wrote.",
        ),
    ] = None
    leave_out: Annotated[
        list[str] | None,
        option_of("NAME", "A data set of --datasets that is not read; repeatable."),
    ] = None
    retrieved: Annotated[
        list[str] | None,
        option_of(
            "FILE",
            "Records with what was expected and retrieved for each query, instead of QRELS and "
            "RUN: JSON lines, JSON, Parquet or CSV; path or name=path; repeatable. Fields of other "
            "names: --columns EXPECTED,RETRIEVED.",
        ),
    ] = None

    @property
    def option(self) -> str | None:
        """The option that stands for judgments and runs; None if these are given."""
        return next(iter(self._given), None)

    @property
    def _given(self) -> list[str]:
        given = {
            "--labelled": self.labelled,
            "--retrieved": self.retrieved,
            "--datasets": self.datasets,
        }
        return [option for option, value in given.items() if value]

    def evaluation(
        self,
        qrels: str | None,
        runs: Mapping[str, str | Sequence[str] | None],
        rules: RuleOptions,
        wanted: Wanted,
    ) -> Evaluation:
        """Evaluate the labelled list, or judgments and runs where there is none.

        Parameters
        ----------
        qrels
            The judgments.
        runs
            The runs, by the names of the arguments that hold one or several.
        rules, wanted
            Options of the evaluation.

        Raises
        ------
        OptionError
            If both are given, or neither.
        """
        if len(self._given) > 1:
            raise OptionError(f"Give {' or '.join(self._given)}, not both.")
        if self.datasets:
            folder = self._folder(self.datasets, rules.split or "test")
            return rules.evaluation(folder, paths_of({"QRELS": qrels, **runs}), wanted)
        if self.leave_out:
            raise OptionError("--leave-out goes with --datasets FOLDER.")
        if self.labelled is None:
            for option, given in {"--scores": self.scores, "--group": self.group}.items():
                if given:
                    raise OptionError(f"{option} goes with --labelled FILE.")
        if self.option is None:
            _end_in_order(wanted.memory)
            return rules.evaluation(*_named(qrels, runs, rules), wanted)
        if qrels is not None:
            more = "Files of scores: --scores" if self.labelled else "Other records: --retrieved"
            raise OptionError(
                f"{self.option} FILE holds judgments and runs, so {shown_address(qrels)!r} is "
                f"one file too many. {more} {shown_address(qrels)}"
            )
        if wanted.memory is not None:
            raise OptionError(
                f"--memory has no meaning with {self.option}: what it holds is kept in memory, "
                f"once."
            )
        return rules.of_labelled(self, wanted)

    def _folder(self, place: str, split: str) -> io.DataSetFolder:
        """Return the folder of data sets, without those that are left out."""
        without = {*(self.leave_out or ())}
        known = rr.read_datasets(place, split).judgments() if without else ()
        for each in without:
            choose("--leave-out", each, dict.fromkeys([*known, *map(whole_dataset, known)]))
        kept = [each for each in known if without.isdisjoint((each, whole_dataset(each)))]
        return rr.read_datasets(place, split, names=kept)

    def named_scores(self) -> Mapping[str, str] | Sequence[str] | None:
        """Return the files of scores by system, or columns."""
        if not self.scores:
            return None
        if any("=" in each or io.is_file(each) or io.is_url(each) for each in self.scores):
            return named_runs(self.scores, "file")
        return self.scores


def _named(
    qrels: str | None, runs: Mapping[str, str | Sequence[str] | None], rules: RuleOptions
) -> tuple[str, list[str]]:
    """Return judgments and runs, of which none may be missing."""
    paths = paths_of(runs)
    lacking = next((name for name, given in runs.items() if not given), None)
    # One file may hold the results of several systems.
    if lacking and paths and len(named_runs(paths, rules.name_from, repeats=True)) >= len(runs):
        lacking = None
    if qrels is None or lacking is not None:
        *first, last = ["QRELS", *runs]
        raise OptionError(
            f"Missing argument {first[0] if qrels is None else lacking!r}. Give "
            f"{', '.join(first)} and {last}, or --labelled FILE, --retrieved FILE or --datasets "
            f"FOLDER."
        )
    return qrels, paths


def _end_in_order(memory: str | None) -> None:
    """With a limit of memory, remove temporary files where the process is ended."""
    if memory is not None:
        interrupts_raised()
        signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))


def _rule(what: str, rules: Iterable[str]) -> Any:
    usual, *_ = rules
    help_text = f"{what}: {', '.join(rules)}. [default: {usual}, or the profile's]"
    return option_of("RULE", help_text)


@dataclass(frozen=True)
class RuleOptions:
    """Rules of the evaluation."""

    profile: Annotated[
        str | None,
        option_of(
            "TOOL",
            f"Reproduce the numbers of another tool and accept its measure names: "
            f"{', '.join(PROFILES)}.",
        ),
    ] = None
    ties: Annotated[str | None, _rule("Order of documents with equal scores", TIES)] = None
    query_set: Annotated[str | None, _rule("Queries to average over", QUERIES)] = None
    no_relevant: Annotated[
        str | None,
        _rule("Queries without relevant documents", NO_RELEVANT),
    ] = None
    precision: Annotated[str | None, _rule("Precision of scores", PRECISION)] = None
    combine: Annotated[
        str | None,
        option_of(
            "RULE",
            "Judgments are those of several people, with a column judge or one for each: how "
            f"their grades are combined: {', '.join(COMBINED)}. With --human, those in "
            "its FILE.",
        ),
    ] = None
    subtopics: Annotated[
        bool,
        typer.Option(
            "--subtopics",
            help="Read the second column of the judgments as subtopics, for alpha_nDCG, ERR_IA and "
            "other diversity measures.",
        ),
    ] = False
    collapse: Annotated[
        str | None,
        option_of(
            "RULE",
            "Fold passages into documents before ranking: "
            f"{', '.join(COLLAPSE)}. [default: a repeated document is an error]",
        ),
    ] = None
    document_of: Annotated[
        list[str] | None,
        option_of(
            "[NAME=]HOW",
            "How --collapse finds the document of a passage: a separator such as '#' in "
            "doc#3, a column of the run, or a table file of passages and documents; NAME= for one "
            "system, repeatable.",
        ),
    ] = None
    corpus: Annotated[
        str | None,
        option_of(
            "FILE",
            "The whole corpus, or its ids: reports relevant documents that are not in it. "
            "[default: corpus.jsonl of a BEIR folder]",
        ),
    ] = None
    unanswerable: Annotated[
        str | None,
        option_of(
            "FILE",
            "Queries that have no answer, where returning nothing is right: an id on each line, "
            "or a table with a column unanswerable, as --queries may have it.",
        ),
    ] = None
    history: Annotated[
        str | None,
        option_of("FILE", "What users had before: a table of users and items."),
    ] = None
    items: Annotated[
        str | None,
        option_of("FILE", "Table of items: their category, popularity or features."),
    ] = None
    with_columns: Annotated[
        str | None,
        option_of(
            "FILE",
            "Numbers of your own, such as latency: a table of query_id, system, name, value, "
            "better (high, low or neither) and unit.",
        ),
    ] = None
    allow_empty: Annotated[
        bool,
        typer.Option(
            "--allow-empty",
            help="A run without rows is that of a system which returned nothing: scored so, with "
            "a caution to stop, instead of an error.",
        ),
    ] = False
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Fail where the data have a caution to look at: an error before any result, or "
            "exit code 1 of check.",
        ),
    ] = False
    name_from: Annotated[str, option_of("FROM", "Source of system names: file or tag.")] = "file"
    columns: Annotated[
        str | None,
        option_of(
            "NAMES", "Columns of runs without a header, such as qid,doc,score; _ is not read."
        ),
    ] = None
    source_format: Annotated[
        str | None,
        option_of(
            "FORMAT",
            f"Format of the inputs: {', '.join(io.NAMED_FORMATS)}. [default: as recognised]",
            "--from",
        ),
    ] = None
    split: Annotated[
        str | None,
        option_of("NAME", "Split of a BEIR folder, or of predictions of MTEB. [default: test]"),
    ] = None
    subset: Annotated[str | None, option_of("NAME", "Subset of predictions of MTEB.")] = None
    query_order: Annotated[
        str | None,
        option_of("FILE", "Queries of an answer of _msearch, in the order asked."),
    ] = None

    def evaluation(
        self, qrels: str | io.DataSetFolder, runs: Sequence[str], wanted: Wanted
    ) -> Evaluation:
        """Evaluate runs by these rules; on several data sets, they are patterns or folders.

        Raises
        ------
        DataError
            If strict, and the data have a caution of severity stop or look.
        """
        wanted, column = self._apart(wanted)
        options = self._options(qrels, runs, wanted)
        made = rr.evaluate(
            **options,
            columns=self.columns,
            unanswerable=self.unanswerable,
            history=self.history,
            items=self.items,
            allow_empty=self.allow_empty,
        )
        return self._strictly(made, column)

    def _apart(self, wanted: Wanted) -> tuple[Wanted, str | None]:
        """Return what is evaluated, and the primary measure where that is a column to be joined."""
        name = str(wanted.primary or "")
        if self.with_columns is not None:
            try:
                chosen_measures(wanted.measures, settled(**self._checked()))
            except MeasureError as error:
                raise MeasureError(
                    f"{error} The columns of --with-columns join the measures without -m; one of "
                    f"which high values are better can decide: --primary NAME."
                ) from None
        if self.with_columns is None or not name or _names_measures(name):
            return wanted, None
        return wanted._replace(primary=None), name

    def _strictly(self, made: Evaluation, column: str | None) -> Evaluation:
        if self.with_columns is not None:
            made = made.with_columns(self.with_columns, primary=column)
        serious = [each for each in made.cautions if each.severity != "note"] if self.strict else []
        if serious:
            raise DataError(paragraph("--strict refuses these data.", *map(labelled, serious)))
        return made

    def _refuse(self, names: Iterable[str], where: str) -> None:
        """Refuse options that have no meaning somewhere."""
        for name in names:
            if (given := getattr(self, name)) and given != getattr(type(self), name):
                flag = {"source_format": "from"}.get(name, name.replace("_", "-"))
                raise OptionError(f"--{flag} has no meaning with {where}.")

    def check(
        self, qrels: str, runs: Sequence[str], wanted: Wanted, scale: tuple[float, float] | None
    ) -> DataCheck:
        """Check judgments and runs by these rules.

        Raises
        ------
        OptionError
            If a rule is for scores alone, such as which queries are unanswerable.
        """
        self._refuse(("unanswerable", "history", "items", "with_columns", "allow_empty"), "check")
        _end_in_order(wanted.memory)
        return rr.check(**self._options(qrels, runs, wanted), scale=scale, strict=self.strict)

    def _options(
        self, qrels: str | io.DataSetFolder, runs: Sequence[str], wanted: Wanted
    ) -> dict[str, Any]:
        """Return the inputs, as their format holds them, and options of `evaluate` and `check`."""
        after = list(filter(_names_measures, runs))
        runs = [run for run in runs if run not in after]
        first = wanted.measures if wanted.measures is not DEFAULT_MEASURES else ()
        judgments, systems = self._sources(qrels, runs)
        if self.combine is not None:
            combine = choose("--combine", self.combine, COMBINED)
            judgments = rr.qrels_from_judges(judgments, combine)
        return {
            "qrels": judgments,
            "runs": systems or None,
            "measures": [*first, *after] or DEFAULT_MEASURES,
            "primary": wanted.primary,
            "memory_limit": wanted.memory,
            "subtopics": self.subtopics,
            "corpus": self.corpus,
            **self.folding(systems),
            **self._checked(),
        }

    def _sources(
        self, qrels: str | io.DataSetFolder, runs: Sequence[str]
    ) -> tuple[Any, Mapping[str, Any]]:
        """Return judgments and runs as their format holds them."""
        if isinstance(qrels, str):
            return io.selected(
                qrels,
                named_runs(runs, self.name_from, repeats=True),
                source_format=self.source_format,
                split=self.split,
                subset=self.subset,
                query_order=self.query_order,
            )
        self._refuse(("combine", "source_format", "subset", "query_order"), "--datasets")
        named = (re.match(r"([^=/{]+)=(.+)", run) or ("", run, None) for run in runs)
        return qrels, {each[1]: each[2] for each in named}

    def folding(self, systems: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of folding as arguments of `evaluate`, after checking them.

        Raises
        ------
        OptionError
            If the rule is unknown, missing, or systems are given twice.
        """
        if self.collapse is not None:
            choose("--collapse", self.collapse, COLLAPSE)
        elif self.document_of:
            raise OptionError("--document-of needs a rule to fold by, such as --collapse max.")
        given = [_of_system(each, systems) for each in self.document_of or ()]
        by_system = {system: how for system, how in given if system is not None}
        if len(given) > 1 and len(by_system) < len(given):
            raise OptionError(
                "--document-of is given several times: name a different system in each, as in "
                f"--document-of {next(iter(systems))}=HOW."
            )
        whole = given[0][1] if given else None
        return {"collapse": self.collapse, "document_of": by_system or whole}

    def of_labelled(self, given: LabelledOptions, wanted: Wanted) -> Evaluation:
        """Evaluate a labelled list by these rules.

        Raises
        ------
        OptionError
            If a rule is for judgments and runs alone.
        """
        wanted, column = self._apart(wanted)
        rules = self._checked()
        del rules["queries"]
        scored = ("profile", "ties", "no_relevant", "precision")
        of_passages = ("columns", "collapse", "document_of", "unanswerable")
        self._refuse(
            (
                *("query_set", "subtopics", "name_from", "source_format", "split", "subset"),
                *("query_order", "combine", "corpus", "history", "items", "allow_empty"),
                *(scored if given.retrieved else of_passages),
            ),
            str(given.option),
        )
        if given.retrieved:
            return self._strictly(self._of_retrieved(given.retrieved, wanted), column)
        made = rr.evaluate_labelled(
            given.labelled,
            given.named_scores(),
            group=given.group,
            measures=wanted.measures,
            primary=wanted.primary,
            **rules,
        )
        return self._strictly(made, column)

    def _of_retrieved(self, files: Sequence[str], wanted: Wanted) -> Evaluation:
        results = named_runs(files, "file")
        fields = self.columns.split(",") if self.columns else ()
        measures = wanted.measures
        return rr.evaluate_retrieved(
            results,
            measures=evaluation.RETRIEVED_MEASURES if measures is DEFAULT_MEASURES else measures,
            primary=wanted.primary,
            unanswerable=self.unanswerable,
            **dict(zip(("expected", "retrieved", "query"), fields, strict=False)),
            **self.folding(results),
        )

    def measures(self, texts: Sequence[str]) -> tuple[Measure, ...]:
        """Parse measures by these rules; the names of columns are left to the evaluation."""
        settings = settled(**self._checked())
        if self.with_columns is not None:
            texts = [each for each in texts if _names_measures(each, settings)] or DEFAULT_MEASURES
        return chosen_measures(texts, settings)

    def _checked(self) -> dict[str, str | None]:
        """Return the rules as arguments of `evaluate`, after checking them."""
        known: dict[str, tuple[str, str | None, Iterable[str]]] = {
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


def _of_system(given: str, systems: Mapping[str, str]) -> tuple[str | None, str]:
    """Split ``NAME=HOW`` into both; without the name of a system, there is none."""
    name, equals, how = given.partition("=")
    return (name, how) if equals and name in systems else (None, given)
