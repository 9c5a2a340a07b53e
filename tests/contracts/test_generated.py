"""Pages and tables made of declarations are as they would be written now."""

from __future__ import annotations

import generate


def test_nothing_generated_is_stale():
    stale = [str(path.relative_to(generate.ROOT)) for path in generate.stale()]
    assert stale == [], f"run: {generate.COMMAND}"


def test_every_table_is_somewhere():
    texts = [path.read_text(encoding="utf-8") for path, _ in generate.generated()]
    markers = [f"<!-- generated: {name} -->" for name in generate.TABLES]
    markers += [f".. generated: {name}\n" for name in generate.LISTS]
    assert [marker for marker in markers if not any(marker in text for text in texts)] == []
