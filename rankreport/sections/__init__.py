"""What a report says, section by section, as plain values for the renderers.

Each module yields the sections of one part of the report; a part that has nothing to say yields
none. A section holds what the page shows of it and, as outputs, the code by which a notebook makes
the same again.
"""

from rankreport.rendering.context import Page
from rankreport.sections.alone import lowest_of
from rankreport.sections.changes import changes_of
from rankreport.sections.content import Content
from rankreport.sections.courses import courses_of
from rankreport.sections.data import data_of
from rankreport.sections.differences import differences_of
from rankreport.sections.figures import SCHEMA, figures_of
from rankreport.sections.gates import gates_of
from rankreport.sections.hardest import hardest_of
from rankreport.sections.levels import levels_of
from rankreport.sections.method import method_sections
from rankreport.sections.naming import briefly
from rankreport.sections.opening import facts_of, meaning_of, opening_of
from rankreport.sections.operating import operating_of
from rankreport.sections.provenance import provenance_of
from rankreport.sections.queries import queries_of, side_files
from rankreport.sections.ranked import ranked_of
from rankreport.sections.segments import segments_of
from rankreport.sections.winners import winners_of

__all__ = ["SCHEMA", "Content", "page_of", "side_files"]

ORDER = (
    levels_of,
    gates_of,
    ranked_of,
    differences_of,
    courses_of,
    winners_of,
    segments_of,
    changes_of,
    hardest_of,
    queries_of,
    operating_of,
    data_of,
    method_sections,
)
"""The parts of a report, the reader's first question first."""


def page_of(content: Content) -> Page:
    """Return all that a report says."""
    opening = opening_of(content)
    lowest = lowest_of(content)
    provenance = tuple(provenance_of(content))
    sections = tuple(section for part in ORDER for section in part(content))
    page = Page(
        title=content.title,
        **opening._asdict(),
        facts=facts_of(content, lowest),
        meaning=meaning_of(content),
        sections=sections,
        provenance=provenance,
        data=figures_of(content, opening, lowest, sections, provenance),
    )
    return briefly(page, content.evaluation.systems)
