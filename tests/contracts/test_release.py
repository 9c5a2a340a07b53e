"""What is released is what was checked, and what says how is valid."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import release

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))

PROJECT = """[project]
name = "rankreport"
version = "0.2.0"
urls.Repository = "https://example.org/rankreport"
"""
CHANGELOG = "# Changelog\n\n## 0.2.0\n\nNew:\n# is no heading.\n\n## 0.1.0\n\nFirst.\n"


def git(root, *arguments):
    command = ("git", "-c", "user.name=x", "-c", "user.email=x@example.org", *arguments)
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A project that may be released, with what `check` builds."""
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "x")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "x@example.org")
    root = tmp_path / "project"
    (root / "dist").mkdir(parents=True)
    files = {
        "pyproject.toml": PROJECT,
        "CITATION.cff": "title: rankreport\nversion: 0.2.0\n",
        "CHANGELOG.md": CHANGELOG,
        ".gitignore": "dist/\n",
        "dist/rankreport-0.2.0-py3-none-any.whl": "",
        "dist/rankreport-0.2.0.tar.gz": "",
    }
    for name, text in files.items():
        (root / name).write_text(text, encoding="utf-8")
    git(root, "init", "-q")
    commit(root)
    return root


def commit(root):
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Change")


def test_the_tag_has_the_section_of_the_changelog(checkout):
    release.tag(checkout, checkout / "dist")
    assert git(checkout, "cat-file", "tag", "v0.2.0").partition("\n\n")[2] == (
        "rankreport 0.2.0\n\nNew:\n# is no heading."
    )


def test_a_version_is_released_once(checkout):
    release.tag(checkout, checkout / "dist")
    with pytest.raises(release.RefusalError, match=r"v0\.2\.0 is tagged"):
        release.checked_project(checkout)


def test_a_tree_with_changes_is_refused(checkout):
    (checkout / "new.py").touch()
    with pytest.raises(release.RefusalError, match=r"has changes.*\n\?\? new\.py"):
        release.checked_project(checkout)


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("CHANGELOG.md", "## 0.2.0", "## Unreleased", "no section '## 0.2.0'"),
        ("CHANGELOG.md", "New:\n# is no heading.\n", "", "or an empty one"),
        ("CITATION.cff", "0.2.0", "0.1.0", "does not say 'version: 0.2.0'"),
        ("pyproject.toml", "urls.Repository", "urls.Homepage", "has no Repository"),
    ],
)
def test_what_is_not_ready_is_refused(name, old, new, message, checkout):
    text = (checkout / name).read_text(encoding="utf-8")
    (checkout / name).write_text(text.replace(old, new), encoding="utf-8")
    commit(checkout)
    with pytest.raises(release.RefusalError, match=message):
        release.checked_project(checkout)


def test_only_what_was_built_of_this_version_is_tagged(checkout):
    (checkout / "dist" / "rankreport-0.1.0.tar.gz").touch()
    with pytest.raises(release.RefusalError, match="dist/ holds"):
        release.tag(checkout, checkout / "dist")
    assert git(checkout, "tag") == ""


def test_the_changelog_has_a_section_of_this_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert release.section((ROOT / "CHANGELOG.md").read_text("utf-8"), version)
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


@pytest.mark.slow
def test_a_distribution_that_does_not_work_stops_the_release(tmp_path):
    (tmp_path / "rankreport-0.2.0.tar.gz").touch()
    with pytest.raises(release.RefusalError, match="pip install"):
        release.use(tmp_path / "rankreport-0.2.0.tar.gz")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_to_commits(path):
    used = re.findall(r"uses: (\S+)(.*)", path.read_text(encoding="utf-8"))
    assert used
    of_branches = {name for name, _ in used if not re.search(r"@[0-9a-f]{40}$", name)}
    assert of_branches <= {"pypa/gh-action-pypi-publish@release/v1"}  # as PyPI's own page says
    assert all("# v" in version for name, version in used if name not in of_branches)
