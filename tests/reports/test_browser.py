"""The page in a real browser: silent, whole without scripts, at any width and on paper."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from PIL import Image

import rankreport as rr
from rankreport.comparison.leading_pair import leading_pair_of
from rankreport.reports.theme import Theme

pytestmark = pytest.mark.browser

PAPERS = {"A4": (595, 842), "Letter": (612, 792)}  # points
PAPER = 680  # pixels between the margins of A4; Letter is wider
LETTER_HEIGHT = 942  # pixels between the margins of Letter; A4 is higher

# What Jenkins sends with every file that a build has kept.
JENKINS = "sandbox; default-src 'none'; img-src 'self'; style-src 'self'"

OPEN_ALL = "document.querySelectorAll('details').forEach(each => { each.open = true; })"

# The contrast of every text that can be seen, with what lies under it, as WCAG computes it.
CONTRASTS = """() => {
  const numbers = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b]
    .map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  // Under the words of a drawing lies the last shape before them that holds their middle.
  const shapeUnder = node => {
    const { left, right, top, bottom } = node.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    return [...node.closest('svg').querySelectorAll('rect')].filter(shape => {
      const box = shape.getBoundingClientRect();
      const before = shape.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING;
      return before && getComputedStyle(shape).fill !== 'none'
        && box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
    }).at(-1);
  };
  const under = node => {
    const shape = node.namespaceURI.endsWith('svg') && shapeUnder(node);
    if (shape) {
      const paper = under(node.closest('svg').parentElement);
      const style = getComputedStyle(shape);
      const seen = Number(style.fillOpacity);
      return numbers(style.fill).slice(0, 3).map((c, i) => seen * c + (1 - seen) * paper[i]);
    }
    for (let at = node; at; at = at.parentElement) {
      const [r, g, b, a = 1] = numbers(getComputedStyle(at).backgroundColor);
      if (a > 0) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const node of document.querySelectorAll('body *')) {
    const own = [...node.childNodes].some(c => c.nodeType === 3 && c.data.trim());
    if (!own || node.tagName === 'SCRIPT' || !node.getClientRects().length) continue;
    if (['title', 'desc'].includes(node.tagName)) continue;
    const style = getComputedStyle(node);
    const drawn = node.namespaceURI.endsWith('svg');
    const [r, g, b, a = 1] = numbers(drawn ? style.fill : style.color);
    const ground = under(node);
    let seen = a * (drawn ? Number(style.fillOpacity) : 1);
    for (let at = node; at; at = at.parentElement) seen *= Number(getComputedStyle(at).opacity);
    const ink = [r, g, b].map((c, i) => seen * c + (1 - seen) * ground[i]);
    const [high, low] = [light(ink), light(ground)].sort((x, y) => y - x);
    found.push([(high + 0.05) / (low + 0.05), node.tagName.toLowerCase(), node.textContent.trim()]);
  }
  return found;
}"""


def test_page_opens_in_silence(tab, each):
    with tab(each.page) as (page, watch):
        assert page.locator("h1").is_visible()
        page.evaluate(OPEN_ALL)
        page.mouse.move(400, 400)
        assert watch.requests == [each.page.as_uri()]
        assert watch.messages == []
        assert watch.dialogs == []


@pytest.mark.slow
def test_any_language_has_an_order_that_the_script_can_ask_for(tab, tmp_path):
    """Tables can be sorted, whatever the file of the language is called."""
    queries = [f"q{i}" for i in range(12)]
    runs = {"mine": {query: {"d": i % 3, "e": 1} for i, query in enumerate(queries)}}
    evaluation = rr.evaluate({query: {"d": 1} for query in queries}, runs, ["RR", "AP"])
    names = ("pt_BR", "zh_Hans_CN", "es-419", "ca-ES-valencia", "en-x-house", "tlh")
    language = tmp_path / "templates" / "language"
    language.mkdir(parents=True)
    for name in names:
        (language / f"{name}.toml").write_text("", encoding="utf-8")
    for name in names:
        report = rr.report(evaluation, theme=Theme(templates=language.parent), language=name)
        report.to_html(tmp_path / "page.html")
        with tab(tmp_path / "page.html") as (page, watch):
            assert watch.messages == []
            assert page.locator("table.sortable th button").count() > 0
            assert page.locator("html").get_attribute("lang") == name.replace("_", "-")


@pytest.mark.slow
def test_watch_sees_what_a_page_does(tab, tmp_path):
    noisy = tmp_path / "noisy.html"
    noisy.write_text(
        "<!doctype html><title>x</title><img src=x.png onerror=alert(1)>"
        "<script>console.log('heard')</script>"
    )
    with tab(noisy) as (page, watch):
        page.wait_for_timeout(200)
        assert watch.requests == [noisy.as_uri(), (tmp_path / "x.png").as_uri()]
        assert "heard" in watch.messages
        assert watch.dialogs == ["1"]


def test_policy_stops_what_escaping_might_let_through(tab, two, tmp_path):
    broken = tmp_path / "broken.html"
    hole = "<script>alert(1)</script><img src=x.png onerror=alert(2)><b style='color:red'>x</b>"
    broken.write_text(two.html.replace("<h1>", f"{hole}<h1>"), encoding="utf-8")
    with tab(broken) as (page, watch):
        page.wait_for_timeout(200)
        assert watch.dialogs == []
        assert watch.refused == ["csp"]  # the picture, before anybody was asked for it
        assert len(watch.messages) >= 3  # one for each thing refused


# What a reader sees of a page: its words but for what the script adds, and each table's rows.
SEEN = """() => {
  document.querySelectorAll('details').forEach(each => { each.open = true; });
  const added = document.querySelectorAll('.filter, .readout, .missing, .tools, .all-rows');
  const count = added.length;
  added.forEach(each => each.remove());
  const shown = [...document.querySelectorAll('tr')].filter(row => row.checkVisibility());
  return {
    words: document.body.innerText.replace(/\\s+/g, ' '),
    rows: shown.map(row => [...row.cells].map(cell => cell.innerText.trim())),
    charts: document.querySelectorAll('svg[role=img]').length,
    buttons: document.querySelectorAll('button').length + count,
  };
}"""


@pytest.mark.slow
def test_page_is_whole_without_scripts(tab, each):
    seen = []
    for scripts in (True, False):
        with tab(each.page, java_script_enabled=scripts) as (page, _):
            seen.append(page.evaluate(SEEN))
    working, still = seen
    assert working.pop("buttons") > still.pop("buttons") == 0
    assert working == still
    assert len(still["rows"]) > 20
    assert still["charts"] > 3


def test_page_fits_its_window(tab, each):
    assert_fits(tab, each.page)


@pytest.mark.slow
def test_names_without_a_break_fit_their_window(tab, long_names):
    assert_fits(tab, long_names.page)


def assert_fits(tab, address):
    with tab(address) as (page, _):
        for _ in ("closed", "open"):
            for width in (360, 390, 768, 1280, 1920):
                page.set_viewport_size({"width": width, "height": 900})
                assert page.evaluate("document.documentElement.scrollWidth") <= width
            page.evaluate(OPEN_ALL)


# How large the words of charts are on the screen, in pixels.
LETTERING = """[...document.querySelectorAll('svg')].filter(s => s.clientWidth).flatMap(drawing => {
  const scale = drawing.getBoundingClientRect().width / drawing.viewBox.baseVal.width;
  return [...drawing.querySelectorAll('text')].map(
    words => scale * parseFloat(getComputedStyle(words).fontSize));
})"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["four", "many", "alone"])
def test_a_telephone_shows_charts_in_letters_that_can_be_read(tab, name, request):
    with tab(request.getfixturevalue(name).page, width=360) as (page, _):
        page.evaluate(OPEN_ALL)
        sizes = page.evaluate(LETTERING)
        assert len(sizes) > 50
        assert min(sizes) >= 8
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        titles = "[...document.querySelectorAll('.chart')].map(c => c.getBoundingClientRect().left)"
        assert page.locator(".chart").count() > 2
        assert min(page.evaluate(titles)) >= 16


@pytest.mark.slow
def test_what_names_a_row_stays_in_sight(tab, four, many):
    for made, at, kept in ((four, "#differences", ["RR@10", "fusion"]), (many, "#ranked", ["2"])):
        with tab(made.page, width=360) as (page, _):
            page.evaluate(OPEN_ALL)
            table = page.locator(f":is({at}, {at} > details) > .table")
            row = table.locator("tr").nth(9 if kept[0] == "RR@10" else 2)
            before = [cell.bounding_box()["x"] for cell in row.locator("td").all()]
            table.evaluate("box => box.scrollTo(150, 0)")
            after = [cell.bounding_box()["x"] for cell in row.locator("td").all()]
            assert row.locator("td").all_inner_texts()[: len(kept)] == kept
            assert after[:2] == before[:2]
            assert after[2:] == [place - 150 for place in before[2:]]


# The bars of a chart of queries that can be seen: their queries, and where each begins and ends.
BARS = """[...document.querySelectorAll('.chart svg')].filter(each => each.clientWidth)[0]
  .querySelectorAll('a')"""
ENDS = f"""[...{BARS}].map(bar => {{
  const boxes = [...bar.children].map(each => each.getBoundingClientRect());
  return [
    decodeURIComponent(bar.getAttribute('href').slice(7)),
    Math.min(...boxes.map(box => box.left)), Math.max(...boxes.map(box => box.right)),
    Math.max(...boxes.map(box => box.height)),
  ];
}})"""


def changed(made):
    """Return the queries that the leading pair wins and loses."""
    comparison = made.comparison
    deltas = comparison.deltas(**leading_pair_of(comparison)._asdict())
    return [set(deltas.filter(sign * deltas["delta"] > 0)["query_id"]) for sign in (1, -1)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["two", "four", "hostile"])
def test_a_telephone_shows_every_win_and_loss(tab, name, request):
    made = request.getfixturevalue(name)
    wins, losses = changed(made)
    assert losses
    with tab(made.page, width=390, height=844) as (page, _):
        bars = {query: ends for query, *ends in page.evaluate(ENDS)}
        assert wins | losses <= set(bars)
        for query in wins | losses:
            left, right, height = bars[query]
            assert 0 <= left < right <= 390, query
            assert height > 0.3, query
        listed = page.locator(".worst li")
        pairs = made.comparison.pairs
        n_losing = made.comparison.losses().frame["system"].n_unique()
        assert listed.count() == (min(3, len(losses)) if len(pairs) == 1 else n_losing)
        box = listed.last.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390


FOCUS = "document.activeElement"


def tabbed(page, condition):
    """Press the tab key until what has the focus is so."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"The tab key never reaches where {condition}.")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["two", "many"])
def test_every_query_can_be_reached_by_keyboard(tab, name, request):
    """Wins and losses bar by bar, and all in the table, whose rows the filter finds."""
    made = request.getfixturevalue(name)
    every = made.evaluation.query_ids
    with tab(made.page) as (page, watch):
        tabbed(page, f"!!{FOCUS}.closest('.chart svg a')")
        met = []
        for _ in range(page.evaluate(f"{BARS}.length")):
            met.append(page.evaluate(f"decodeURIComponent({FOCUS}.getAttribute('href').slice(7))"))
            assert met[-1] in page.locator(".readout").first.inner_text()
            page.keyboard.press("ArrowRight")
        assert len(set(met)) == len(met)
        assert set.union(*changed(made)) <= set(met)
        page.keyboard.press("Enter")
        page.locator(".found:focus").wait_for(state="attached")  # once the address has changed
        fold = "section#all-queries summary"
        for _ in range(2):  # the section is folded, and so are its tables
            tabbed(page, f"{FOCUS}.matches('{fold}') && !{FOCUS}.parentElement.open")
            page.keyboard.press("Enter")
        tabbed(page, f"{FOCUS}.type === 'search'")
        rows = page.locator("#all-queries table").first.locator("tbody tr")
        assert rows.count() == len(every)
        for query in (every[0], every[-1]):
            page.keyboard.press("ControlOrMeta+A")
            page.keyboard.type(query)
            found = [row.split("\t")[0] for row in rows.filter(visible=True).all_inner_texts()]
            assert query in found
            assert len(found) < len(every)
        tabbed(page, f"{FOCUS}.closest('#all-queries .table') === {FOCUS}")  # to scroll it
        assert watch.messages == []


# The shade at an edge of a box on paper-white, with what the box holds taken away.
EDGES = """box => {
  box.querySelectorAll('*').forEach(each => { each.style.visibility = 'hidden'; });
  box.scrollTo(Number(box.dataset.at || 0), 0);
}"""


@pytest.mark.slow
def test_what_hides_more_has_a_shadow_at_that_edge(tab, four):
    with tab(four.page, width=390) as (page, _):
        page.evaluate(OPEN_ALL)
        table = page.locator("#differences .table")
        assert shaded(table) == (False, True)
        table.evaluate("box => { box.dataset.at = 60; }")
        assert shaded(table) == (True, True)
        table.evaluate("box => { box.dataset.at = box.scrollWidth; }")
        assert shaded(table) == (True, False)
    with tab(four.page, width=1280) as (page, _):
        page.evaluate(OPEN_ALL)
        table = page.locator("#differences .table")
        assert shaded(table) == (False, False)
        table.evaluate("box => { box.style.width = '300px'; }")
        assert shaded(table) == (False, True)


def shaded(box):
    """Tell whether a box is darker at its left and at its right edge than the paper."""
    box.evaluate(EDGES)
    with Image.open(io.BytesIO(box.screenshot())) as picture:
        grey = picture.convert("L")
    middle = grey.height // 2
    return tuple(grey.getpixel((x, middle)) < 230 for x in (1, grey.width - 2))


@pytest.mark.slow
def test_nothing_of_the_tables_is_hidden_on_a_desk(tab, four):
    with tab(four.page, width=1280) as (page, _):
        page.evaluate(OPEN_ALL)
        boxes = "[...document.querySelectorAll('.table, .chart')].filter(b => b.clientWidth)"
        assert page.evaluate(f"{boxes}.length") > 10
        cut = page.evaluate(
            f"{boxes}.filter(b => b.scrollWidth > b.clientWidth).map(b => b.ariaLabel)"
        )
        assert cut == []


@pytest.mark.slow
def test_groups_are_called_by_what_they_hold(tab, four):
    with tab(four.page) as (page, _):
        names = "[...document.querySelectorAll('[role=group]')].map(group => group.ariaLabel)"
        found = page.evaluate(names)
        assert {"Chart", "Table", ""}.isdisjoint(found)
        assert "nDCG@10 by query, bm25-names minus bm25" in found
        assert "Data: nDCG@10 by query, bm25-names minus bm25" in found
        assert "Data" in found


@pytest.mark.slow
def test_what_scrolls_can_be_reached_by_keyboard(tab, four):
    """By itself, or by the links that it is made of."""
    with tab(four.page, width=360) as (page, _):
        page.evaluate(OPEN_ALL)
        unreachable = page.evaluate(
            "[...document.querySelectorAll('body *')].filter(b => b.scrollWidth > b.clientWidth"
            " && ['auto', 'scroll'].includes(getComputedStyle(b).overflowX) && b.tabIndex < 0"
            " && ![...b.children].every(each => each.matches('a[href]')))"
            ".length"
        )
        assert unreachable == 0


@pytest.mark.slow
def test_text_stands_out(tab, each):
    with tab(each.page) as (page, _):
        page.evaluate(OPEN_ALL)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            found = page.evaluate(CONTRASTS)
            kinds = {kind for _, kind, _ in found}
            wanted = {"h1", "h2", "p", "td", "th", "dt", "dd", "figcaption", "summary", "text"}
            assert wanted <= kinds
            assert [text for text in found if text[0] < 4.5] == []
            paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (paper == "rgb(255, 255, 255)") is (scheme == "light")


@pytest.mark.slow
def test_contrast_is_measured(tab, tmp_path):
    pale = tmp_path / "pale.html"
    pale.write_text(
        "<!doctype html><title>x</title><body style='background:#fff'><p style='color:#777'>a</p>"
        "<p style='color:#000;opacity:.5'>b</p><div style='background:#000'><p>c</p></div>"
        "<svg width=90 height=30><rect width=90 height=30 fill=#777 /><text y=20 fill=#fff>d</text>"
        "</svg>"
    )
    with tab(pale) as (page, _):
        contrasts = {text: round(value, 2) for value, _, text in page.evaluate(CONTRASTS)}
    assert contrasts == {"a": 4.48, "b": pytest.approx(3.95, abs=0.05), "c": 1.0, "d": 4.48}


ASTRAY = """(() => {
  const before = cell => [...cell.parentNode.cells].slice(0, cell.cellIndex);
  const column = cell => before(cell).reduce((n, each) => n + each.colSpan, 0);
  const at = (row, place) => [...row.cells].findLast(each => column(each) <= place);
  const side = cell => getComputedStyle(cell).textAlign;
  return [...document.querySelectorAll('th')].filter(head =>
    [...head.closest('table').rows].some(row => side(at(row, column(head))) !== side(head))
  ).length;
})()"""
"""The number of heads of tables that are on another side than a cell of their column."""


@pytest.mark.slow
def test_headings_of_tables_go_with_their_columns(tab, four):
    with tab(four.page) as (page, _):
        page.evaluate(OPEN_ALL)
        astray = page.evaluate(ASTRAY)
        assert astray == 0


@contextmanager
def served(folder, policy):
    """Serve a folder as a build server does that trusts nothing it keeps."""

    class Handler(SimpleHTTPRequestHandler):
        def end_headers(self):
            self.send_header("Content-Security-Policy", policy)
            super().end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def pixels(locator):
    """Return the colours of an element's picture, and their shares."""
    image = Image.open(io.BytesIO(locator.screenshot())).convert("RGB")
    return {
        colour: count / (image.width * image.height)
        for count, colour in image.getcolors(image.width * image.height)
    }


def black(colours):
    return sum(share for colour, share in colours.items() if max(colour) < 60)


def near(colour, other):
    return max(abs(one - two) for one, two in zip(colour, other, strict=True)) < 12


@pytest.mark.slow
def test_charts_survive_a_build_server(tab, four):
    blue, vermillion, green = (0x00, 0x72, 0xB2), (0xD5, 0x5E, 0x00), (0x00, 0x9E, 0x73)
    with (
        served(four.page.parent, JENKINS) as address,
        tab(f"{address}/report.html") as (page, watch),
    ):
        assert watch.messages  # the policy is in force: it has refused the style sheet
        grid = page.locator(".grid")
        assert grid.evaluate("grid => getComputedStyle(grid).display") == "block"
        assert page.locator("h1").inner_text() == four.report._summary.page.screen.headline
        page.evaluate(OPEN_ALL)
        assert "SHA-256" in page.locator("#provenance").inner_text()
        charts = page.locator("figure svg:not([display=none])")
        assert charts.count() == page.locator("figure").count() > 3
        seen = set()
        for at in range(charts.count()):
            colours = pixels(charts.nth(at))
            assert black(colours) < 0.1
            assert sum(share for colour, share in colours.items() if min(colour) > 240) > 0.3
            ours = {
                c for c in (blue, vermillion, green) if any(near(colour, c) for colour in colours)
            }
            assert ours
            seen |= ours
        assert seen == {blue, vermillion, green}
        assert page.locator("svg text").first.is_visible()


@pytest.mark.slow
def test_a_chart_as_matplotlib_writes_it_does_not(tab, two, tmp_path):
    drawn = io.StringIO()
    two.comparison.plot_curve("nDCG").savefig(drawn, format="svg")
    svg = drawn.getvalue()[drawn.getvalue().index("<svg") :]
    (tmp_path / "raw.html").write_text(f"<!doctype html><title>x</title>{svg}", encoding="utf-8")
    with served(tmp_path, JENKINS) as address, tab(f"{address}/raw.html") as (page, _):
        assert black(pixels(page.locator("svg").first)) > 0.5


@pytest.mark.slow
def test_links_lead_to_queries_on_a_build_server(tab, four):
    with (
        served(four.page.parent, JENKINS) as address,
        tab(f"{address}/report.html#query=q31") as (page, _),
    ):
        row = page.locator("tr:target")
        assert row.locator("td").first.inner_text() == "q31"
        box = row.bounding_box()
        assert -1 <= box["y"] < 900
        assert page.locator("th button").count() == 0  # no script has run


@pytest.mark.slow
@pytest.mark.parametrize("name", ["two", "four", "many", "alone", "hostile"])
def test_page_is_whole_on_a_build_server(tab, name, request):
    """It has all the words, rows and charts that it has where styles are allowed."""
    made = request.getfixturevalue(name)
    with tab(made.page, java_script_enabled=False) as (page, _):
        usual, charts = page.evaluate(SEEN), page.locator("svg:visible").count()
        lines = page.evaluate("document.body.innerText").splitlines()
    with (
        served(made.page.parent, JENKINS) as address,
        tab(f"{address}/report.html") as (page, watch),
    ):
        assert any("style" in message for message in watch.messages)
        bare = page.evaluate(SEEN)
        words = squeezed(page.evaluate("document.body.innerText")).casefold()
        assert page.locator("svg:visible").count() == charts > 3
    assert bare["buttons"] == 0
    assert len(bare["rows"]) == len(usual["rows"]) > 20
    # Without styles nothing is in capitals.
    assert [line for line in lines if squeezed(line).casefold() not in words] == []


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPERS)
def test_page_prints(tab, four, pictures, paper):
    with tab(four.page, color_scheme="dark") as (page, watch):
        path = pictures / f"report-{paper.lower()}.pdf"
        page.pdf(path=path, format=paper)
        assert watch.messages == []
    pdf = path.read_bytes()
    assert pdf.startswith(b"%PDF-")
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert 3 <= len(boxes) <= 8
    for box in boxes:
        assert [float(side) for side in box] == pytest.approx(PAPERS[paper], abs=2)
    if shutil.which("pdftoppm"):
        stem = path.with_suffix("")
        subprocess.run(["pdftoppm", "-png", "-r", "60", path, stem], check=True, timeout=60)


# The words of every figure that is printed: those in the drawing, and those under it.
DRAWN = """() => [...document.querySelectorAll('figure')].filter(each => each.checkVisibility())
  .map(each => [...each.querySelectorAll('svg text, figcaption')].map(words => words.textContent))
"""


@pytest.mark.slow
@pytest.mark.needs("pdftotext")
@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("name", ["four", "alone"])
def test_every_figure_is_on_one_page(tab, tmp_path, name, paper, request):
    path = tmp_path / "report.pdf"
    with tab(request.getfixturevalue(name).page) as (page, _):
        page.pdf(path=path, format=paper)
        page.emulate_media(media="print")
        figures = page.evaluate(DRAWN)
    read = subprocess.run(["pdftotext", path, "-"], check=True, timeout=60, capture_output=True)
    # A hyphen at the end of a line is taken for one that divides a word, and is not read back.
    pages = [squeezed(text).replace("-", "") for text in read.stdout.decode().split("\f")]
    assert len(figures) >= 1
    for drawn in figures:
        texts = [squeezed(text).replace("-", "") for text in drawn]
        caption = max(texts, key=len)
        assert len(caption) > 20
        assert any(all(text in page for text in texts) for page in pages), caption


def squeezed(text):
    """Return a text without white space, which a PDF does not keep."""
    return re.sub(r"\s+", "", text)


@pytest.mark.slow
@pytest.mark.needs("pdftotext")
def test_every_page_has_its_number(tab, tmp_path, two):
    path = tmp_path / "report.pdf"
    with tab(two.page) as (page, _):
        page.pdf(path=path, format="A4")
    read = subprocess.run(["pdftotext", path, "-"], check=True, timeout=60, capture_output=True)
    pages = read.stdout.decode().split("\f")[:-1]
    assert len(pages) > 3
    for at, text in enumerate(pages, 1):
        assert f"{at}/{len(pages)}" in squeezed(text)


@pytest.mark.slow
def test_words_on_paper_are_no_larger_than_the_body(tab, four):
    with tab(four.page) as (page, _):
        page.emulate_media(media="print")
        sizes = page.evaluate(
            "['section > p', 'figcaption', 'caption', 'td'].map(kind =>"
            " parseFloat(getComputedStyle(document.querySelector(`main ${kind}`)).fontSize))"
        )
    assert sizes[0] == pytest.approx(10 * 96 / 72, abs=0.1)
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.slow
@pytest.mark.needs("pdftotext")
@pytest.mark.parametrize("name", ["four", "many"])
def test_a_heading_stays_with_what_it_heads(tab, tmp_path, name, request):
    path = tmp_path / "report.pdf"
    with tab(request.getfixturevalue(name).page) as (page, _):
        page.pdf(path=path, format="A4")
        page.emulate_media(media="print")
        found = page.locator("main h2").filter(visible=True).all_inner_texts()
        headings = [squeezed(text) for text in found]
    read = subprocess.run(["pdftotext", path, "-"], check=True, timeout=60, capture_output=True)
    pages = [squeezed(text) for text in read.stdout.decode().split("\f")]
    for heading in headings:
        after = next(text for text in pages if heading in text).partition(heading)[2]
        assert len(after) > 150, heading


@pytest.mark.slow
@pytest.mark.parametrize("name", ["four", "two", "alone"])
def test_nothing_is_cut_off_on_paper(tab, name, request):
    made = request.getfixturevalue(name)
    with tab(made.page, width=PAPER, color_scheme="dark") as (page, _):
        page.emulate_media(media="print", color_scheme="dark")
        assert page.evaluate("document.documentElement.scrollWidth") <= PAPER
        figures = page.evaluate(
            "[...document.querySelectorAll('figure')].map(each =>"
            " [getComputedStyle(each).breakInside, each.getBoundingClientRect().height])"
        )
        assert {breaks for breaks, _ in figures} == {"avoid"}
        assert max(height for _, height in figures) < LETTER_HEIGHT
        wide = page.evaluate(
            f"[...document.querySelectorAll('table, svg, h1, h2, p, dd')]"
            f".filter(each => each.getBoundingClientRect().right > {PAPER} + 1).length"
        )
        assert wide == 0
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") in (
            "rgb(255, 255, 255)",
            "rgba(0, 0, 0, 0)",
        )
        assert [text for text in page.evaluate(CONTRASTS) if text[0] < 4.5] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), (390, "light"), (1280, "dark")], ids=str
)
def test_pictures_for_people(tab, four, pictures, width, scheme):
    with tab(four.page, width=width, color_scheme=scheme) as (page, _):
        path = pictures / f"page-{width}-{scheme}.png"
        page.screenshot(path=path, full_page=True)
    with Image.open(path) as picture:
        assert picture.width == width
        assert picture.height > 2000
        corner = picture.convert("RGB").getpixel((2, 2))
    assert (min(corner) > 200) is (scheme == "light")
