"""The sections of a report as plain values for the renderers.

Each module yields the sections of one part of the report, or none if it does not apply. A section
holds what the page shows.
"""

from rankreport.reports.sections.all_queries import queries_of
from rankreport.reports.sections.beyond_accuracy import beyond_accuracy_of
from rankreport.reports.sections.clicks import clicks_of
from rankreport.reports.sections.data import data_of
from rankreport.reports.sections.datasets import datasets_of
from rankreport.reports.sections.depth import depth_sections
from rankreport.reports.sections.differences import differences_of
from rankreport.reports.sections.drilldown import changes_of
from rankreport.reports.sections.gates import gates_of
from rankreport.reports.sections.hardest import hardest_of
from rankreport.reports.sections.judges import judges_of, model_judge_of
from rankreport.reports.sections.leaderboard import leaderboard_sections
from rankreport.reports.sections.means import exact_means_of, levels_of
from rankreport.reports.sections.method import method_sections
from rankreport.reports.sections.own_columns import own_columns_of
from rankreport.reports.sections.pool_and_order import pool_and_order_of
from rankreport.reports.sections.query_kinds import query_kinds_section
from rankreport.reports.sections.repeats import repeats_of
from rankreport.reports.sections.roc import operating_of
from rankreport.reports.sections.segments import segments_of

ORDER = (
    datasets_of,
    levels_of,
    differences_of,
    gates_of,
    own_columns_of,
    model_judge_of,
    changes_of,
    hardest_of,
    pool_and_order_of,
    repeats_of,
    beyond_accuracy_of,
    segments_of,
    query_kinds_section,
    data_of,
    exact_means_of,
    judges_of,
    clicks_of,
    depth_sections,
    operating_of,
    leaderboard_sections,
    queries_of,
    method_sections,
)
"""The parts of a report, in order."""

ON_DATA = frozenset({data_of, judges_of, clicks_of})
"""The parts that hold where the data are to be checked first."""

SUMMARY = (gates_of, model_judge_of)
"""The parts that Markdown shows, which have no charts."""
