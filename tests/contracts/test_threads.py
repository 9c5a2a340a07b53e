"""Eight threads make what one makes, and leave the settings of their process as they were."""

from __future__ import annotations

import io
import itertools
import json
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

import rankreport as rr
from rankreport.charts import own_settings, png_of
from rankreport.charts.svg import standalone_svg

pytestmark = pytest.mark.drawn

N_THREADS = 8
QRELS = {f"q{n}": {f"d{n % 3}": 1, "d3": 2} for n in range(24)}
RUNS = {
    name: {f"q{n}": {f"d{d}": float((d * step + n) % 5) for d in range(5)} for n in range(24)}
    for name, step in (("old", 1), ("new", 2), ("词向量", 3))
}
THEMES = (rr.Theme(), rr.Theme(accent="#0072B2", introduction="For *all*."))


def subjects():
    evaluation = rr.evaluate(QRELS, RUNS, ["nDCG@3", "AP"])
    pair = rr.compare(rr.evaluate(QRELS, dict(list(RUNS.items())[:2]), ["AP"]), resamples=100)
    return evaluation, pair, rr.compare(evaluation, resamples=100)


def written(report, ending, folder):
    """Return the files of a report, in a folder of its own."""
    made = folder / f"{threading.get_ident()}-{next(NUMBERS)}"
    made.mkdir()
    files = getattr(report, f"to_{ending}")(made / f"report.{ENDINGS[ending]}")
    return [(file.name, file.read_bytes()) for file in files]


ENDINGS = {"html": "html", "notebook": "ipynb", "png": "png", "markdown": "md", "json": "json"}
NUMBERS = itertools.count()


def artefacts(folder):
    """Return forty functions, each of which makes a page, a notebook, a picture or a text."""
    evaluation, pair, several = subjects()
    made = []
    for subject, (language, theme) in itertools.product(
        (evaluation, pair), zip(("en", "zh"), THEMES, strict=True)
    ):
        about = {"language": language, "theme": theme, "date": "2026-11-24"}
        made += [
            lambda s=subject, a=about, e=ending: written(rr.report(s, **a), e, folder)
            for ending in ENDINGS
        ]
        made.append(lambda s=subject, a=about: json.dumps(rr.report(s, **a)._repr_mimebundle_()))
    plots = [
        *(pair.plot_deltas, pair.plot_histogram, pair.plot_scatter, several.plot_forest),
        *(several.plot_curve, evaluation.plot_means, evaluation.plot_roc),
        *(rr.plan(pair).plot, rr.leaderboard(several).plot),
    ]
    made += [lambda p=plot: standalone_svg(p(), "") for plot in plots]
    made += [lambda p=plot: png_of(p(figsize=(6, 5)), 72) for plot in plots[:4]]
    return [*made, *(lambda p=plot: p()._repr_mimebundle_() for plot in plots[:3])]


HOST = {"font.size": 23.0, "axes.grid": True, "lines.linewidth": 7.0, "svg.hashsalt": "host"}


def drawn_by_host():
    """Return a drawing of the program that makes reports, in its settings."""
    figure, drawn = Figure(figsize=(2, 2)), io.BytesIO()
    figure.subplots().plot([1, 3, 2])
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue()


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_eight_threads_make_forty_things_as_one_does(every, tmp_path):
    serial = [make() for make in artefacts(tmp_path)[::every]]
    assert len(serial) * every == 40
    with mpl.rc_context(HOST):
        before = (dict(mpl.rcParams), type(mpl.rcParams), list(warnings.filters), drawn_by_host())
        with ThreadPoolExecutor(N_THREADS) as pool:
            waiting = [pool.submit(make) for make in artefacts(tmp_path)[::every]]
            while wait(waiting, timeout=0.05).not_done:
                assert {name: mpl.rcParams[name] for name in HOST} == HOST
                assert drawn_by_host() == before[-1]
            together = [each.result() for each in waiting]
        now = (dict(mpl.rcParams), type(mpl.rcParams), list(warnings.filters), drawn_by_host())
        assert now == before
    differ = [
        n for n, (one, other) in enumerate(zip(serial, together, strict=True)) if one != other
    ]
    assert differ == []


def test_one_report_may_be_written_by_many_threads(tmp_path):
    report = rr.report(subjects()[1], date="2026-11-24")
    with ThreadPoolExecutor(N_THREADS) as pool:
        pages = list(pool.map(lambda _: written(report, "html", tmp_path), range(N_THREADS)))
    assert all(page == pages[0] for page in pages)


def test_a_setting_that_is_read_while_another_thread_ends_drawing_is_found():
    with own_settings({"font.size": 5}):
        begun = partial(type(mpl.rcParams).__getitem__, mpl.rcParams)
    assert begun("font.size") == mpl.rcParams["font.size"]


@pytest.mark.parametrize("fails", [False, True])
def test_settings_are_of_the_thread_that_draws(fails):
    """Those of the others are neither seen nor changed, whatever happens within."""
    usual, entered, left = dict(mpl.rcParams), threading.Event(), threading.Event()

    def draw():
        with own_settings({"font.size": 5}):
            entered.set()
            left.wait(10)
            assert mpl.rcParams["font.size"] == 5
            if fails:
                raise OSError

    with ThreadPoolExecutor(1) as pool:
        drawing = pool.submit(draw)
        entered.wait(10)
        assert mpl.rcParams["font.size"] == usual["font.size"]
        assert dict(mpl.rcParams) == usual
        with mpl.rc_context({"font.size": 9}):
            left.set()
            assert isinstance(drawing.exception(), OSError if fails else type(None))
            assert mpl.rcParams["font.size"] == 9
    assert dict(mpl.rcParams) == usual
    assert type(mpl.rcParams) is mpl.RcParams
