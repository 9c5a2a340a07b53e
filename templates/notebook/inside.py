# {{ say("The data of the report, so that this notebook needs no other file.") }}
import atexit
import base64
import gzip
import shutil
import tempfile
from pathlib import Path

INSIDE = Path(tempfile.mkdtemp(prefix="rankreport-"))
atexit.register(shutil.rmtree, INSIDE, ignore_errors=True)
FILES = {
{% for name, lines in inside.items() %}
    {{ name | python }}: """
{% for line in lines %}
{{ line }}
{% endfor %}
""",
{% endfor %}
}
for name, text in FILES.items():
    (INSIDE / name).write_bytes(gzip.decompress(base64.b64decode(text)))
