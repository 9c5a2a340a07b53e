"""What is built holds what is needed, and works wherever it is installed."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted(
    path.relative_to(ROOT).as_posix() for path in (ROOT / "templates").rglob("*") if path.is_file()
)
DATA = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "rankreport" / "datasets" / "stdlib").rglob("*")
    if path.is_file()
)

# A page is made from the installed package alone; the folder that it found is what we look at.
PROGRAM = """
import site, sys
before = set(sys.path)
site.addsitedir(sys.argv[1])  # reads the .pth file of an editable install
sys.path.sort(key=before.__contains__)  # what it names goes before what this environment holds
import rankreport as rr
from rankreport.text import template_folder
example = rr.load_example()
rr.report(rr.evaluate(example.qrels, example.runs, ["AP"])).to_html("report.html")
print(rr.__file__)
print(template_folder())
"""


def run(*command, **options):
    ended = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT))
    return folder


@pytest.fixture(scope="module")
def wheel(built):
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def sdist(built):
    (found,) = built.glob("*.tar.gz")
    return found


def install(*arguments):
    """Install with uv, which is faster than pip, or with pip where there is none."""
    options = ("--quiet", "--no-deps", "--no-index")
    if importlib.util.find_spec("uv"):
        command = ("uv", "pip", "install", "--python", sys.executable)
    else:
        command = ("pip", "install", "--disable-pip-version-check")
    run(sys.executable, "-m", *command, *options, *arguments)


def used(folder, tmp_path):
    """Return the files of the package and the templates that a fresh process uses."""
    path = {"PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1"}
    program = (sys.executable, "-c", PROGRAM, str(folder))
    package, templates = run(*program, cwd=tmp_path, env={**os.environ, **path}).splitlines()
    assert (tmp_path / "report.html").stat().st_size > 0
    return Path(package), Path(templates)


def test_the_wheel_holds_what_is_needed(wheel):
    held = set(zipfile.ZipFile(wheel).namelist())
    assert {f"rankreport/{name}" for name in TEMPLATES} <= held
    assert {*DATA, "rankreport/py.typed"} <= held
    assert not [name for name in held if name.startswith(("tests/", "templates/", "scripts/"))]
    assert not [name for name in held if "__pycache__" in name]


def test_the_wheel_bears_the_licence(wheel):
    assert [n for n in zipfile.ZipFile(wheel).namelist() if n.endswith("licenses/LICENSE")]


def test_the_sdist_holds_what_is_needed(sdist):
    with tarfile.open(sdist) as archive:
        names = archive.getnames()
    held = {name.partition("/")[2] for name in names}
    assert {*TEMPLATES, *DATA, "rankreport/py.typed", "README.md", "LICENSE"} <= held
    assert {
        "CONTRIBUTING.md",
        "pyproject.toml",
        ".ci/run",
        "tests/contracts/test_packaging.py",
    } <= held
    assert not [name for name in held if "__pycache__" in name]


def test_a_checkout_and_its_sdist_build_the_same_wheel(wheel, tmp_path):
    # `build` makes the wheel of the fixture from the source distribution.
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", tmp_path, ROOT)
    (from_checkout,) = tmp_path.glob("*.whl")
    assert from_checkout.name == wheel.name
    assert from_checkout.read_bytes() == wheel.read_bytes()


def test_an_installed_wheel_finds_its_templates(wheel, tmp_path):
    target = tmp_path / "installed"
    install("--target", str(target), str(wheel))
    package, templates = used(target, tmp_path)
    assert package == target / "rankreport" / "__init__.py"
    assert templates == target / "rankreport" / "templates"


def test_an_unpacked_sdist_finds_its_templates(sdist, tmp_path):
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.glob("rankreport-*")
    package, templates = used(unpacked, tmp_path)
    assert package == unpacked / "rankreport" / "__init__.py"
    assert templates == unpacked / "templates"


def test_an_editable_install_finds_its_templates(sdist, tmp_path):
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.glob("rankreport-*")
    target = tmp_path / "installed"
    install("--no-build-isolation", "--target", str(target), "--editable", str(unpacked))
    assert not (target / "rankreport" / "__init__.py").exists()  # the sources stay where they are
    package, templates = used(target, tmp_path)
    assert package == unpacked / "rankreport" / "__init__.py"
    assert templates == unpacked / "templates"
