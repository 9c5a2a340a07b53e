"""Tables in files with the results of several systems, which a column names."""

from __future__ import annotations

import re
from functools import partial

from rankreport.column_names import ALIASES, folded
from rankreport.errors import DataError
from rankreport.frames import SYSTEM
from rankreport.io.formats import SourceBegin, SystemOfFile
from rankreport.io.ids import name_text
from rankreport.io.roles import RUN
from rankreport.io.source import collecting
from rankreport.io.tables import Frame, SourceTable, View, system_of_row, table_source

_RESULTS = "has the results of several systems"


def _may_name_systems(sample: SourceBegin, table: SourceTable) -> bool:
    """Return whether a table may have a column of systems; of text, its first line decides."""
    named = table.columns if isinstance(table, Frame) else re.split(r'[\s,;|"]+', sample.line)
    return any(folded(name) in ALIASES[SYSTEM] for name in named)


def rows_by_system(sample: SourceBegin, table: SourceTable) -> dict[str, SystemOfFile]:
    """Return the rows of each system that a column of a table names.

    Returns
    -------
    dict
        Empty where there is no such column, or it names one system only.

    Raises
    ------
    DataError
        If the file cannot be read, a system is missing, or it is not sure that the column names
        systems.
    """
    contents = sample.contents
    if not _may_name_systems(sample, table):
        return {}
    own, systems = systems_named(contents.name, table)
    if len(systems) < 2:
        return {}
    names = {name: name for name in table.columns if name != own}
    parts = {system: View(table, names, own, system_of_row(own) == system) for system in systems}
    return {
        system: SystemOfFile(
            system, _RESULTS, contents, partial(table_source, contents.name, RUN, part, contents)
        )
        for system, part in parts.items()
    }


def systems_named(name: str, table: SourceTable) -> tuple[str, list[str]]:
    """Return the column of a table that names the system of each row, and the systems; else none.

    Raises
    ------
    DataError
        If the table cannot be read, a system is missing, or it is not sure that the column names
        systems.
    """
    with collecting(name):
        named = table.systems
        if named is None or not len(named.systems):
            return "", []
        own, systems = named.column, named.systems
        if len(systems) < 2:
            return own, [] if named.some_missing else systems.to_list()
        name_text(name, own, table.columns[own])
        if named.some_missing:
            nameless = system_of_row(own).is_null()
            without = table.numbered([own]).filter(nameless).head(1).collect()
            place = f"{table.unit} {without.drop(own).item()}"
            raise DataError(f"{name}, {place} has no system in column {own!r}.")
    if not named.sure:
        raise not_systems(name, own, len(systems))
    return own, systems.to_list()


def sole_system(sample: SourceBegin, table: SourceTable) -> str | None:
    """Return the one system that a column of a table names; None without such a column."""
    named = table.systems if _may_name_systems(sample, table) else None
    return str(named.systems.item()) if named is not None and len(named.systems) == 1 else None


def not_systems(name: str, column: str, n_values: int) -> DataError:
    """Return the error for a column that may name systems, or something else, such as titles."""
    return DataError(
        f"{name} has a column {column!r} with {n_values} values, and no document of a query stands "
        f"under two of them. If it names systems, call it 'system'; if not, drop it."
    )
