"""Text and number formatting, cautions, languages, and escaping for Markdown and HTML."""

from rankreport.text.caution import (
    SEVERITIES,
    Caution,
    CautionKind,
    Severity,
    beside_check,
    check_first,
    labelled,
    tallied,
    worst_first,
)
from rankreport.text.format import (
    BRIEF_NAME,
    ELLIPSIS,
    MISSING,
    NAME_LIMIT,
    between,
    both_ends,
    comma_separated,
    counted,
    decimals,
    decimals_beside,
    delta_and_interval,
    figures_of,
    listed,
    number,
    p_value,
    paragraph,
    percent,
    reliable_decimals,
    short,
    signed,
    text_width,
    typeset,
    unbroken,
    visible,
)
from rankreport.text.language import (
    ENGLISH,
    Message,
    current_language,
    in_current_language,
    language_tag,
    languages,
    say,
    separated,
    set_language,
    template_folder,
    using_language,
)
from rankreport.text.markup import anchor, code, fragment, markdown, paragraph_html, verbatim
from rankreport.text.passages import Words, passage, words_of
