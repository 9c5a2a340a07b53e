"""Options that store a result in a history, and the folder of one."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import rankreport as rr
from rankreport import io
from rankreport.cli.grouping import option_of
from rankreport.cli.outputs import Writer
from rankreport.errors import OptionError

if TYPE_CHECKING:
    from rankreport.comparison import Comparison
    from rankreport.evaluation import Evaluation


@dataclass(frozen=True)
class StoreOptions:
    """What is stored for later comparisons."""

    store: Annotated[
        str | None,
        option_of(
            "FOLDER",
            "Store scores, decision and what they depend on in this folder, for later comparisons.",
        ),
    ] = None
    note: Annotated[str | None, option_of("TEXT", "Name or remark to store with them.")] = None
    keep_runs: Annotated[
        bool,
        typer.Option("--keep-runs", help="Store runs, to judge them again by later judgments."),
    ] = False

    def __post_init__(self) -> None:
        """Check, before anything is read, that the folder can be written.

        Raises
        ------
        OptionError
            If another option is given without --store.
        OutputError
            If it cannot be written.
        """
        if self.store is not None:
            io.make_folder(self.store)
            io.check_writable(Path(self.store, "entry"))
        elif self.note is not None or self.keep_runs:
            raise OptionError("--note and --keep-runs go with --store FOLDER.")

    def since(
        self, evaluation: Evaluation, made: Evaluation | Comparison, stored: str | None = None
    ) -> str:
        """Return the difference from the last stored result, in a sentence; empty without --store.

        Parameters
        ----------
        evaluation
            The new evaluation.
        made
            What is reported of it: of a comparison, the system that the verdict is of.
        stored
            The stored baseline. If it is the latest entry, the comparison says the same.
        """
        if self.store is None or stored == "latest":
            return ""
        verdict_of = made.decision.leading.system if isinstance(made, rr.Comparison) else None
        system = verdict_of if verdict_of in evaluation.systems else None
        return rr.History(self.store).since_last(evaluation, system)

    def writer(
        self,
        made: Evaluation | Comparison,
        outcome: str | None = None,
        evaluation: Evaluation | None = None,
    ) -> dict[Path, Writer]:
        """Return what stores a result, with the commit of the work tree; nothing without --store.

        Parameters
        ----------
        made
            The result.
        outcome
            That of a gate.
        evaluation
            Whose scores are stored, if not those of all systems compared.
        """
        if self.store is None:
            return {}
        history = rr.History(self.store)

        def stored(_: Path) -> tuple[Path]:
            entry = history.add(
                made,
                note=self.note,
                commit=_commit(),
                keep_runs=self.keep_runs,
                outcome=outcome,
                evaluation=evaluation,
            )
            return (entry.folder,)

        return {history.path: stored}


def _commit() -> str | None:
    """Return the commit of the work tree, ``-dirty`` after it if files of it were changed."""
    words = ("describe", "--always", "--abbrev=40", "--dirty", "--exclude=*")
    try:
        found = subprocess.run(  # noqa: S603
            ["git", "--no-optional-locks", *words],  # noqa: S607 - the user's own
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):  # no git, or no work tree
        return None
    return found.stdout.strip()
