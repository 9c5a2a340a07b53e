"""Check and build what is released, and tag it.

::

    python scripts/release.py check   # build dist/, and use it in an empty environment
    python scripts/release.py tag     # then tag the commit; the message is the changelog's section

Both refuse a tree with changes, a version that is tagged, and a version without a section in
CHANGELOG.md. `tag` also refuses a `dist/` that is not of this version. Nothing is uploaded: a
person starts `.github/workflows/release.yml` for that.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
WRITTEN_BY_DEMO = ("report.html", "report.ipynb", "scores.parquet")


class RefusalError(Exception):
    """Why there is no release, and what to do."""


def run(*command: str, cwd: Path, **options: str) -> str:
    """Return what a program prints; it stops the release where it fails."""
    environment = {**os.environ, **options}
    ended = subprocess.run(  # noqa: S603
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    if ended.returncode:
        message = f"{' '.join(command)}\nended with {ended.returncode}:\n"
        raise RefusalError(message + ended.stdout + ended.stderr)
    return ended.stdout


def section(changelog: str, version: str) -> str:
    """Return what the changelog says of a version, without its heading."""
    heading = rf"^## {re.escape(version)}(?: .*)?$"
    found = re.search(rf"{heading}\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    text = found[1].strip() if found else ""
    if not text:
        message = f"CHANGELOG.md has no section '## {version}', or an empty one: write it."
        raise RefusalError(message)
    return text


def checked_project(root: Path) -> tuple[str, str]:
    """Return the version and its section of the changelog, or refuse to release it."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = project["version"]
    if changes := run("git", "status", "--porcelain", cwd=root):
        raise RefusalError(f"The tree has changes: commit or remove them.\n{changes}")
    if run("git", "tag", "--list", f"v{version}", cwd=root):
        message = f"v{version} is tagged: raise the version in pyproject.toml and CITATION.cff."
        raise RefusalError(message)
    cited = re.search(r"^version: (.+)$", (root / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
    if cited is None or cited[1] != version:
        raise RefusalError(f"CITATION.cff does not say 'version: {version}': write it there.")
    if "Repository" not in project.get("urls", {}):
        message = "pyproject.toml has no Repository in [project.urls]: state the public address."
        raise RefusalError(message)
    return version, section((root / "CHANGELOG.md").read_text(encoding="utf-8"), version)


def build(root: Path, folder: Path) -> tuple[Path, Path]:
    """Build the source distribution, and the wheel from it, into an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", str(folder), cwd=root)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    run(sys.executable, "-m", "twine", "check", "--strict", str(sdist), str(wheel), cwd=root)
    return sdist, wheel


def use(distribution: Path) -> int:
    """Install a distribution in an empty environment, and run each command in an empty folder.

    Returns the number of commands.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(sys.executable, "-m", "venv", str(folder / "venv"), cwd=folder)
        programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        python = str(programs / "python")
        alone = {"PYTHONPATH": "", "PYTHONSAFEPATH": "1", "COLUMNS": "120"}
        run(python, "-m", "pip", "install", "--quiet", str(distribution), cwd=folder, **alone)
        rankreport = str(programs / "rankreport")
        listed = run(rankreport, "--help", cwd=folder, **alone)
        named = listed.partition("Commands:")[2]
        commands = re.findall(r"^ {2}([a-z-]+) {2,}\S", named, re.MULTILINE)
        for command in commands:
            run(rankreport, command, "--help", cwd=folder, **alone)
        run(rankreport, "demo", cwd=folder, **alone)
        for file in WRITTEN_BY_DEMO:
            if not (folder / "rankreport-demo" / file).stat().st_size:
                raise RefusalError(f"rankreport demo wrote an empty {file}.")
    return len(commands)


def check(root: Path, folder: Path) -> None:
    """Build what is released, and use it as who installs it would."""
    version, text = checked_project(root)
    for distribution in build(root, folder):
        n_commands = use(distribution)
        size = distribution.stat().st_size
        print(f"{distribution.name}: {size:,} bytes; {n_commands} commands and the demo run")
    print(f"rankreport {version}\n\n{text}")


def tag(root: Path, folder: Path) -> None:
    """Tag the commit with the version; the message is the changelog's section."""
    version, text = checked_project(root)
    built = sorted(path.name for path in folder.glob("*"))
    expected = [f"rankreport-{version}-py3-none-any.whl", f"rankreport-{version}.tar.gz"]
    if built != expected:
        message = f"dist/ holds {built}, expected {expected}: run python scripts/release.py check."
        raise RefusalError(message)
    message = f"rankreport {version}\n\n{text}"
    run("git", "tag", "--annotate", "--cleanup=verbatim", f"v{version}", "-m", message, cwd=root)
    print(f"Tagged v{version}: push it with git push origin v{version}")


STEPS = {"check": check, "tag": tag}


def main() -> None:
    """Run the step that is named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("step", choices=STEPS)
    step = parser.parse_args().step
    try:
        STEPS[step](ROOT, ROOT / "dist")
    except RefusalError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
