"""Commands of the documentation, run as a reader types them."""

import os
import subprocess
import sys
from pathlib import Path


def run_in_shell(command: str, folder: Path) -> str:
    """Run a command in a folder, with the installed programs at hand; return what it prints."""
    programs = Path(sys.executable).parent
    ended = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
    return ended.stdout
