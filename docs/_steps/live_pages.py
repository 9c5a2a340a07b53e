"""What the gallery shows of an example: the report that it makes, as a picture and as its page."""

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

import rankreport as rr

ORDER = (
    "two_rankers",
    "no_clear_difference",
    "many_systems",
    "several_data_sets",
    "segments_and_gate",
    "history",
    "unjudged_documents",
    "clicks",
    "model_as_judge",
    "why_a_query_loses",
    "recommender",
    "language_model_retrieval",
)

_PICTURE = """
.. image:: /{source}
    :alt: {words}
"""

_LIVE = """
.. raw:: html

    <p class="live"><a href="../pages/{name}.html">The page that this writes</a></p>
    <iframe class="live" src="../pages/{name}.html" loading="lazy" title="Report: {title}"></iframe>
"""


def place(path: str) -> int:
    """Return the place of an example in the gallery, by its file."""
    return ORDER.index(Path(path).stem)


def scraper(block: Any, variables: dict[str, Any], settings: dict[str, Any]) -> str:
    """Return what shows the chart, the report and the page that a block of code has left.

    Examples call them `chart`, `report` and `report.html`. Without a chart, the picture is the
    report's own.
    """
    del block
    made = variables["example_globals"]
    chart, report = made.pop("chart", None), made.pop("report", None)
    shown = ""
    if isinstance(chart or report, Figure | rr.Report):
        picture = next(variables["image_path_iterator"])
        chart.savefig(picture, dpi=200) if chart else report.to_png(picture)
        source = Path(picture).relative_to(settings["src_dir"]).as_posix()
        shown += _PICTURE.format(source=source, words=repr(report).partition("\n")[0])
    if isinstance(report, rr.Report):
        source_file = Path(variables["src_file"])
        name = source_file.stem
        folder = Path(settings["src_dir"]) / "gallery_pages" / "pages"
        folder.mkdir(exist_ok=True, parents=True)
        source_file.with_name("report.html").replace(folder / f"{name}.html")
        shown += _LIVE.format(name=name, title=name.replace("_", " "))
    return shown
