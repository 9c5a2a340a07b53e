"""What JupyterLab does to the HTML of a notebook that its reader has not run."""

from __future__ import annotations

from markup import tag

# What JupyterLab lets through of a notebook that its reader has not run: elements, and attributes
# of every element or of one (packages/apputils/src/sanitizer.ts). Of the others it keeps the words,
# except what stands in those that never hold words for people.
ALLOWED = frozenset(
    {
        *(
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "hr",
            "p",
            "div",
            "pre",
            "blockquote",
            "br",
            "header",
        ),
        *("figure", "figcaption", "img", "details", "summary", "section", "footer", "caption"),
        *("table", "thead", "tbody", "tfoot", "tr", "th", "td", "col", "colgroup"),
        *("dl", "dt", "dd", "ul", "ol", "li", "a", "abbr", "b", "bdi", "cite", "code", "del", "em"),
        *("i", "ins", "kbd", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup"),
        *("u", "var"),
    }
)
WORDLESS = frozenset({"script", "style", "textarea", "option", "noscript"})
EVERYWHERE = frozenset({"class", "dir", "hidden", "id", "lang", "style", "title"})
ATTRIBUTES = {
    "a": {"href", "name", "rel", "target"},
    "img": {"align", "alt", "border", "height", "src", "width"},
    "table": {"align", "bgcolor", "border", "cellpadding", "cellspacing", "frame", "rules"},
    "caption": {"align"},
    "div": {"align"},
    "p": {"align"},
    "tr": {"align", "bgcolor", "valign"},
    "td": {"align", "bgcolor", "colspan", "headers", "nowrap", "rowspan", "scope", "valign"},
    "th": {"align", "bgcolor", "colspan", "headers", "nowrap", "rowspan", "scope", "valign"},
    "details": {"open"},
}


def sanitised(node):
    """Return an element as JupyterLab leaves it: what is allowed of it, or its words alone."""
    for child in list(node):
        sanitised(child)
    for at in range(len(node) - 1, -1, -1):
        child = node[at]
        if tag(child) in ALLOWED:
            kept = EVERYWHERE | ATTRIBUTES.get(tag(child), set())
            for name in set(child.attrib) - kept:
                del child.attrib[name]
            continue
        node.remove(child)
        left = [] if tag(child) in WORDLESS else list(child)
        text = "" if tag(child) in WORDLESS else child.text or ""
        tail = child.tail or ""
        if left:
            left[-1].tail = (left[-1].tail or "") + tail
        else:
            text += tail
        for one in reversed(left):
            node.insert(at, one)
        if at:
            node[at - 1].tail = (node[at - 1].tail or "") + text
        else:
            node.text = (node.text or "") + text
    return node
