"""Sources compressed by gzip or zstd, opened as what they hold."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, cast

from rankreport.io.expansion_limit import GZIP, ZSTD
from rankreport.io.lines import text_of
from rankreport.io.source import Contents

COMPRESSED = (".gz", ".zst")
"""The suffixes of compressed files."""


@contextmanager
def decompressed(contents: Contents, n_lines: int | None = None) -> Iterator[BinaryIO]:
    """Open a source, decompressed; of zstd the first lines, or all of them.

    Polars reads zstd, for which Python before 3.14 has no module.
    """
    head = contents.head(4)
    if head.startswith(ZSTD):
        yield BytesIO(text_of(contents, n_lines))
        return
    opened = contents.open()
    if head.startswith(GZIP):
        with gzip.open(opened) as file:
            yield cast("BinaryIO", file)
        return
    with opened.open("rb") if isinstance(opened, Path) else opened as plain:
        yield plain
