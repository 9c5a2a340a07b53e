"""Settings of the site, which ``python -m sphinx -W docs site`` builds."""

import sys
from pathlib import Path

import rankreport

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_steps"))  # the modules named below
(HERE / "gallery_pages").mkdir(exist_ok=True)

project = "rankreport"
author = "The authors of rankreport"
release = rankreport.__version__
html_title = "rankreport"
exclude_patterns = ["examples", "gallery_pages"]
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
    "formulas",
    "measure_pages",
    "outside",
]

suppress_warnings = ["ref.python"]  # words in the types of docstrings may name several things

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4

default_role = "code"
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings say in words what a parameter may be
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r".*\.py",
    "within_subsection_order": "live_pages.place",
    "image_scrapers": ("live_pages.scraper",),
    "abort_on_example_error": True,
    "capture_repr": (),
    "download_all_examples": False,
    "show_signature": False,
    "thumbnail_size": (600, 400),
    "min_reported_time": 3600,
    "write_computation_times": False,  # its page loads a script from elsewhere
}

html_theme = "pydata_sphinx_theme"
html_theme_options = {
    "navigation_with_keys": False,
    "secondary_sidebar_items": {"*": ["page-toc"], "reference/*": ["page-toc"]},  # others need room
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_context = {"default_mode": "auto"}
html_copy_source = False
html_css_files = ["site.css"]
html_extra_path = ["gallery_pages"]  # the reports that examples make
html_math_renderer = "mathml"
html_show_sourcelink = False
html_sidebars = {"explanations": [], "index": []}
html_static_path = ["_static"]
