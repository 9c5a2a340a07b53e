"""Text and number formatting, cautions, languages, and escaping for Markdown and HTML."""

from rankreport.text.caution import (
    SEVERITIES,
    Caution,
    CautionKind,
    Concerned,
    Severity,
    beside_check,
    check_first,
    labelled,
    tallied,
    worst_first,
)
from rankreport.text.excerpts import Words, passage, words_of
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
from rankreport.text.markup import anchor, code, folded_html, fragment, markdown, paragraph_html
from rankreport.text.names import BRIEF_NAME, ELLIPSIS, NAME_LIMIT, both_ends, short, visible
from rankreport.text.numbers import (
    MISSING,
    adding_up,
    between,
    decimals,
    decimals_beside,
    delta_and_interval,
    digits_of,
    figures_of,
    number,
    p_value,
    percent,
    ranks_in_figures,
    relative,
    relative_change,
    reliable_decimals,
    signed,
)
from rankreport.text.sentences import (
    MOST_NAMED,
    capital,
    comma_separated,
    counted,
    first_of,
    listed,
    paragraph,
    runs_in_words,
    with_names,
)
from rankreport.text.typography import MINUS, prose, typeset, unbroken, with_whole_intervals
from rankreport.text.widths import terminal_width, text_width
