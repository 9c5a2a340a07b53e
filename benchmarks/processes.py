"""Programs as processes of their own, timed: wall clock, processor seconds and peak memory."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

MIB = 1 << 20


@dataclass(frozen=True)
class Finished:
    """A finished process.

    Attributes
    ----------
    seconds, processor_seconds
        By the clock on the wall, including the start of the program; of all processors.
    peak_bytes
        The peak memory of this process alone, as reported by the operating system, including
        memory-mapped files.
    printed
        What it wrote to standard output.
    """

    seconds: float
    processor_seconds: float
    peak_bytes: int
    printed: str


def run(
    command: Sequence[str | os.PathLike[str]],
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Finished:
    """Run a program in a folder; stop if it fails.

    Byte code is kept, as it is where pip has installed a package.
    """
    inherited = {name: of for name, of in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**inherited, **(environment or {})}
    with tempfile.TemporaryFile("w+") as complaints:
        start = time.perf_counter()
        with subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
        ) as process:
            printed = process.stdout.read() if process.stdout else ""
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - start
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            complaints.seek(0)
            failed = f"Exit code {process.returncode}: {' '.join(map(str, command))}"
            sys.exit(f"{complaints.read()}{failed}")
    unit = 1 if sys.platform == "darwin" else 1024
    used = usage.ru_utime + usage.ru_stime
    return Finished(seconds, used, usage.ru_maxrss * unit, printed)


def machine(packages: Sequence[str]) -> str:
    """Say what this ran on, with which versions, and how busy it was."""
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    return (
        f"{os.cpu_count()} cores ({platform.system()}, {platform.machine()}), load "
        f"{os.getloadavg()[0]:.1f}; Python {platform.python_version()}, {versions}."
    )
