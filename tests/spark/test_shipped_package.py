"""rankreport is sent to executors that do not have it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from rankreport import spark
from rankreport.errors import OptionError
from rankreport.spark import shipped_package


def test_the_archive_is_all_that_evaluation_needs(tmp_path):
    """Without templates and data; in an interpreter that finds no other rankreport."""
    archive = shipped_package._archive()
    names = zipfile.ZipFile(archive).namelist()
    assert "rankreport/__init__.pyi" in names
    assert "rankreport/spark/bucket_work.py" in names
    assert {Path(name).suffix for name in names} == {".py", ".pyi"}
    code = (
        f"import sys; sys.path.insert(0, './{archive.name}')\n"  # as Spark does
        "import rankreport as rr, rankreport.spark.bucket_work\n"
        "print(rr.__file__, rr.evaluate({'q': {'d': 1}}, {'q': ['d']}, ['AP']).summary())"
    )
    for own in map(Path, sys.path):
        for entry in own.iterdir() if own.name == "site-packages" else ():
            if "rankreport" not in entry.name and not (tmp_path / entry.name).exists():
                (tmp_path / entry.name).symlink_to(entry)
    ended = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        cwd=archive.parent,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith(f"./{archive.name}/rankreport/")


def test_the_archive_is_the_same_each_time():
    one = shipped_package._archive().read_bytes()
    shipped_package._archive.cache_clear()
    assert shipped_package._archive().read_bytes() == one


def test_what_takes_no_package(session):
    with pytest.raises(OptionError, match="Expected a session of Spark 4, found str"):
        spark.add_package("session")
    with pytest.raises(OptionError, match="takes no Python files: handle add artifacts"):
        spark.add_package(session)  # Sail
