"""Make the pictures of the README from the demo: its first screen, and one query.

python scripts/pictures.py

It needs Chromium and Playwright's package. Each picture holds the text that it shows, so that a
test finds out whether the page has changed since: the pixels depend on fonts and on the browser.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PIL import Image
from PIL.PngImagePlugin import PngInfo

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images"
CHROMIUM = "/usr/bin/chromium"
DATE = "2026-11-22"
WIDTH, HEIGHT = 1280, 900
SCALE = 1.5
"""Pixels of a picture per pixel of the page, for screens of high density."""

COLOURS = 48
TEXT = "Description"
"""The keyword of PNG under which a picture holds its text."""


class Crop(NamedTuple):
    """A part of the page: from the top of one element to below others."""

    name: str
    first: str
    last: tuple[str, ...]
    below: int


CROPS = (
    Crop("first-screen.png", "header .head", ("header .aside", "header .acting"), 20),
    Crop("query.png", ".drilldown", (".drilldown details.change",), 1),
)
_MARGIN = 20

_PLACE = """([first, last, margin, below]) => {
  const top = document.querySelector(first).getBoundingClientRect();
  const ends = last.map(each => document.querySelector(each).getBoundingClientRect().bottom);
  const [x, y] = [top.left - margin, top.top - margin];
  const height = Math.max(...ends) + below - y;
  return { x, y: y + scrollY, width: top.width + 2 * margin, height };
}"""

_SHOWN = """([first, last]) => {
  const range = document.createRange();
  range.setStartBefore(document.querySelector(first));
  range.setEndAfter(document.querySelector(last.at(-1)));
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  const shown = getSelection().toString();
  getSelection().removeAllRanges();
  return shown;
}"""


class Picture(NamedTuple):
    """A picture of a part of the page, and the text in it."""

    name: str
    text: str
    png: bytes


def open_page(browser: Browser) -> Page:
    """Open a page of the size that pictures are taken at."""
    return browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=SCALE)


def pictures(page: Page, folder: Path) -> Iterator[Picture]:
    """Write the demo to a folder, open its page, and yield its pictures."""
    command = [sys.executable, "-m", "rankreport", "demo", "-o", str(folder), "--date", DATE]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603  (our own demo)
    page.goto((folder / "report.html").as_uri())
    page.evaluate("document.querySelector('nav').remove()")  # it would stand over the picture
    for crop in CROPS:
        place = page.evaluate(_PLACE, [crop.first, crop.last, _MARGIN, crop.below])
        taken = page.screenshot(clip=place, full_page=True)
        text = " ".join(page.evaluate(_SHOWN, [crop.first, crop.last]).split())
        yield Picture(crop.name, text, small(taken, text))


def small(png: bytes, text: str) -> bytes:
    """Return a picture of few colours that holds a text."""
    about = PngInfo()
    about.add_text(TEXT, text)
    into = io.BytesIO()
    few = Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(into, "PNG", optimize=True, pnginfo=about)
    return into.getvalue()


def main() -> None:
    """Write all pictures."""
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for picture in pictures(open_page(browser), Path(folder)):
            (FOLDER / picture.name).write_bytes(picture.png)
            print(f"{picture.name}: {len(picture.png):,} bytes")
        browser.close()


if __name__ == "__main__":
    main()
