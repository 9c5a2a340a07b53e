# What the report was made of, so that this notebook needs no file beside it.
import base64
import gzip
import tempfile
from pathlib import Path

INSIDE = Path(tempfile.mkdtemp(prefix="rankreport-"))
HELD = {
{% for name, text in inside.items() %}
    {{ name | python }}: """
{{ text }}
""",
{% endfor %}
}
for name, text in HELD.items():
    (INSIDE / name).write_bytes(gzip.decompress(base64.b64decode(text)))
