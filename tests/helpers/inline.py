"""What a report shows in Jupyter."""

from __future__ import annotations


def without_notebook(bundle):
    """Return what a report shows, without its offer to write a notebook, which it must make.

    A loaded report has no scores for a notebook.
    """
    html = bundle["text/html"]
    for with_it, without in (
        ("as a page, a notebook or text:", "as a page or text:"),
        (", <code>report.to_notebook(&quot;report.ipynb&quot;)</code>", ""),
    ):
        assert html.count(with_it) == 1
        html = html.replace(with_it, without)
    return bundle | {"text/html": html}
