"""The lock file holds all that a development environment needs, and names no registry."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
LOCK = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
PINS = [
    Requirement(line.removesuffix("\\"))
    for line in LOCK.splitlines()
    if not line.startswith(("#", " "))
]


def asked(lines):
    """Give what a list of requirements asks for, and the extras of this project that it names."""
    for requirement in map(Requirement, lines):
        if requirement.name == PROJECT["name"]:
            for extra in sorted(requirement.extras):
                yield from asked(EXTRAS[extra])
        else:
            yield requirement


ASKED = list(
    {str(each): each for each in asked([*PROJECT["dependencies"], *EXTRAS["dev-all"]])}.values()
)


@pytest.mark.parametrize("requirement", ASKED, ids=str)
def test_every_dependency_is_locked_in_a_version_that_is_allowed(requirement):
    versions = [
        next(iter(pin.specifier)).version
        for pin in PINS
        if canonicalize_name(pin.name) == canonicalize_name(requirement.name)
        and (pin.marker is None or pin.marker.evaluate())
    ]
    assert len(versions) == 1, "make requirements-dev.lock anew, by the command in its header"
    assert versions[0] in requirement.specifier


def test_the_light_group_is_a_part_of_all():
    assert {str(each) for each in asked(EXTRAS["dev"])} < {str(each) for each in ASKED}


def test_every_pin_is_exact_and_has_a_hash():
    assert all(re.fullmatch(r"==[^*,]+", str(pin.specifier)) for pin in PINS)
    hashed = re.findall(r"^\S.*\\\n    --hash=sha256:", LOCK, flags=re.MULTILINE)
    assert len(hashed) == len(PINS) > len(ASKED)


def test_no_registry_is_named():
    assert re.findall(r"\w+://\S+|--(?:index|extra-index|find-links)\S*", LOCK) == []
