"""Reading any accepted source into a checked frame, and writing files atomically."""

from typing import TYPE_CHECKING

from rankreport._public import attach

if TYPE_CHECKING:
    from rankreport.io.clicks import read_log, read_rows, ubi_impressions
    from rankreport.io.corpus import Corpus, DocumentRows, open_corpus, open_ids
    from rankreport.io.data_sets import (
        DataSetFolder,
        check_dataset_names,
        datasets_named,
        open_datasets,
        read_datasets,
    )
    from rankreport.io.expansion_limit import size_of
    from rankreport.io.exports import NAMED_FORMATS, read_msearch, read_mteb, selected
    from rankreport.io.forked_process import check_process
    from rankreport.io.formats.beir import Collection, read_beir
    from rankreport.io.formats.parquet import read_parquet
    from rankreport.io.ids import (
        by_name,
        exact_ids,
        float_remarks,
        most_exact,
        name_text,
        refuse_floats,
        refused_id,
    )
    from rankreport.io.kept_inputs import (
        FromFiles,
        check_apart,
        files_noted,
        files_read,
        keeping_files,
        note_file,
    )
    from rankreport.io.labelled import LabelledList, labelled_list, read_labelled
    from rankreport.io.labelled_arrays import arrays_of
    from rankreport.io.model_outputs import recommended, scores_of_models
    from rankreport.io.mteb_results import MAIN, read_task_means
    from rankreport.io.notebooks import beside_notebook
    from rankreport.io.opening import BY_COLUMN, contents_of, files_named, open_source
    from rankreport.io.partition import Partition
    from rankreport.io.reading import (
        check_judgments,
        of_subtopics,
        pairs_of,
        read_judgments,
        read_qrels,
        read_queries,
        read_queries_once,
        read_run,
        read_runs,
    )
    from rankreport.io.retrieved import holds_retrieved, read_retrieved
    from rankreport.io.roles import (
        CLICKED,
        CLICKS,
        DWELL,
        IMPRESSIONS,
        INTERLEAVED,
        JUDGE,
        JUDGED,
        NUMBERS,
        PURCHASE,
        QRELS,
        QUERIES,
        RATINGS,
        RUN,
        SESSION,
        SUBTOPIC_QRELS,
        SYSTEMS,
        TITLE,
        URL,
        USER,
        Role,
        is_implicit,
    )
    from rankreport.io.runs import (
        check_names,
        check_standard_input,
        is_standard_input,
        judgments_first,
        named_runs,
        names_of_repeats,
        open_sources,
        opened_runs,
    )
    from rankreport.io.source import (
        BOM,
        FAILURES,
        POSITION,
        Input,
        Preparation,
        Remark,
        Source,
        input_of,
        is_file,
    )
    from rankreport.io.spreadsheet import guarded
    from rankreport.io.sql import read_sql
    from rankreport.io.storage import is_url, joined
    from rankreport.io.system_column import not_systems
    from rankreport.io.system_names import run_tag, stem, systems_of
    from rankreport.io.tables import (
        IMPLICIT,
        OF_USERS,
        Frame,
        check_numbers,
        collected,
        frame_of,
        identifiers,
        not_one_system,
        table_source,
        with_ids,
    )
    from rankreport.io.typed_json import json_of, plain, read_json, restored
    from rankreport.io.validation import (
        CONFLICTING,
        POSITIONS,
        ROWS_NAMED,
        RowCounts,
        RowFaults,
        check,
        check_ranks,
        faulty_rank,
        no_rows,
        rank_error,
    )
    from rankreport.io.writing import (
        PARQUET,
        Format,
        check_local,
        check_suffix,
        check_writable,
        make_folder,
        refusing,
        replacing,
        table_formats,
        text_export,
        together,
        write_fields,
        write_frame,
        write_text,
    )
else:
    __getattr__, __dir__ = attach(globals())
