import pytest

from rankreport.column_names import ALIASES, find_columns


@pytest.mark.parametrize(
    ("column", "alias"), [(c, a) for c, names in ALIASES.items() for a in names]
)
def test_every_alias_is_found_whatever_its_case_and_hyphens(column, alias):
    theirs = f" {alias.upper().replace('_', '-')}"
    assert find_columns(["other", theirs], [column]) == ({column: theirs}, ())


def test_our_own_name_wins_over_an_alias():
    found, _ = find_columns(["qid", "query_id"], ["query_id"])
    assert found == {"query_id": "query_id"}


def test_no_column_serves_twice():
    assert find_columns(["query"], ["query_id", "text"]) == ({"query_id": "query"}, ("text",))


def test_missing_columns_are_told():
    assert find_columns(["a", "b"], ["query_id", "score"]) == ({}, ("query_id", "score"))
