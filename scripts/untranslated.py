"""List the messages without a Chinese line, which are shown in English.

python scripts/untranslated.py
"""

from __future__ import annotations

import sys
from pathlib import Path

from rankreport.text.language import catalogue

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "helpers"))


def untranslated(language: str = "zh") -> list[str]:
    """Return the messages that a language has no line for."""
    import messages

    return sorted(messages.messages().difference(catalogue(language)))


if __name__ == "__main__":
    missing = untranslated()
    print("\n".join([*missing, f"{len(missing)} messages without a line in zh.toml"]))
