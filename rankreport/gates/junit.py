"""JUnit XML, the format of test results that CI systems read: of any, and of a gate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple
from xml.etree import ElementTree as ET

from rankreport.gates.exit_codes import counts_as
from rankreport.gates.findings import Finding
from rankreport.gates.gate_in_words import notes_of
from rankreport.gates.values import GateValues
from rankreport.io import text_export
from rankreport.text import labelled, visible

Ended = Literal["passed", "failure", "skipped"]

_ENDED: Mapping[str, Ended] = {"pass": "passed", "fail": "failure", "inconclusive": "skipped"}
"""How a requirement ends in JUnit."""


class Case(NamedTuple):
    """A test case: its name, its kind, its result and the reason."""

    name: str
    kind: str
    ended: Ended
    reason: str


class Suite(NamedTuple):
    """A named group of test cases, with notes on all of them."""

    name: str
    cases: tuple[Case, ...]
    notes: tuple[str, ...] = ()


def junit(name: str, suites: Iterable[Suite]) -> str:
    """Return test suites as an XML document; characters invalid in XML are escaped visibly.

    Parameters
    ----------
    name
        Name of the document.
    suites
        Test suites.

    Examples
    --------
    >>> print(junit("gate", [Suite("new", (Case("RR > 0", "superiority", "failure", "fell"),))]))
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="gate" tests="1" failures="1" errors="0" skipped="0">
      <testsuite name="new" tests="1" failures="1" errors="0" skipped="0">
        <testcase classname="new" name="RR &gt; 0" time="0">
          <failure type="superiority" message="fell">fell</failure>
        </testcase>
      </testsuite>
    </testsuites>
    <BLANKLINE>
    """
    gathered = list(suites)
    root = ET.Element("testsuites", _counts(name, [c for suite in gathered for c in suite.cases]))
    for suite in gathered:
        element = ET.SubElement(root, "testsuite", _counts(suite.name, suite.cases))
        for case in suite.cases:
            _add(element, suite.name, case)
        if suite.notes:
            ET.SubElement(element, "system-out").text = "\n".join(map(visible, suite.notes))
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _add(suite: ET.Element, classname: str, case: Case) -> None:
    names = {"classname": visible(classname), "name": visible(case.name), "time": "0"}
    element = ET.SubElement(suite, "testcase", names)
    reason = visible(case.reason)
    if case.ended == "passed":
        ET.SubElement(element, "system-out").text = reason
        return
    kind = {"type": visible(case.kind)} if case.ended == "failure" else {}
    ET.SubElement(element, case.ended, {**kind, "message": reason}).text = reason


def _counts(name: str, cases: Iterable[Case]) -> dict[str, str]:
    ended = [case.ended for case in cases]
    return {
        "name": visible(name),
        "tests": str(len(ended)),
        "failures": str(ended.count("failure")),
        "errors": "0",
        "skipped": str(ended.count("skipped")),
    }


@text_export(".xml")
def to_junit(self: GateValues) -> str:
    """Return the gate as JUnit XML: a suite per candidate, a case per requirement.

    A requirement ends as it counts for the exit code. JUnit has no third outcome: a case that
    counts as inconclusive is skipped, with the reason as its message.
    """
    suites = []
    for each in self.candidates:
        cautions = (labelled(c) for c in self.cautions if c.is_about(each.pair))
        cases = tuple(_case(self, found) for found in each.findings)
        suites.append(Suite(each.against, cases, (*cautions, *notes_of(self))))
    return junit("rankreport gate", suites)


def _case(self: GateValues, found: Finding) -> Case:
    required, ended = found.requirement, _ENDED[counts_as(self, found)]
    return Case(required.text, required.kind, ended, found.reason)
