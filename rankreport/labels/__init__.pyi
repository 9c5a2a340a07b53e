from rankreport.labels.cautions import CLICK_CAUTIONS, JUDGE_CAUTIONS, REFERENCE_CAUTIONS
from rankreport.labels.click_models import ClickScores, Impressions
from rankreport.labels.clicks import (
    CLICKED,
    DWELL,
    IMPRESSIONS,
    SESSION,
    SHOWN,
    USER,
    ClickCounts,
    ClickLabels,
    ClickOptions,
    check_impressions,
    click_columns,
    first_rank,
    labels_of_counts,
    later_clicks,
    qrels_from_clicks,
    repeated_rows,
    without_user,
)
from rankreport.labels.from_ranking import RankingLabels, qrels_from_ranking
from rankreport.labels.judges import JudgeLabels, qrels_from_judges
from rankreport.labels.rankings import (
    RANKING_CAUTIONS,
    RANKING_TIES,
    RankingComparison,
    compare_rankings,
)
from rankreport.labels.sampling import check_sample, sample_queries
from rankreport.labels.source import CLICK_MODELS, COMBINED, Labels, LabelSource
from rankreport.labels.tasks import judging_tasks, read_judged_tasks
from rankreport.labels.team_draft import INTERLEAVING_CAUTIONS, Interleaving, interleaving

__all__ = [
    "CLICKED",
    "CLICK_CAUTIONS",
    "CLICK_MODELS",
    "COMBINED",
    "DWELL",
    "IMPRESSIONS",
    "INTERLEAVING_CAUTIONS",
    "JUDGE_CAUTIONS",
    "RANKING_CAUTIONS",
    "RANKING_TIES",
    "REFERENCE_CAUTIONS",
    "SESSION",
    "SHOWN",
    "USER",
    "ClickCounts",
    "ClickLabels",
    "ClickOptions",
    "ClickScores",
    "Impressions",
    "Interleaving",
    "JudgeLabels",
    "LabelSource",
    "Labels",
    "RankingComparison",
    "RankingLabels",
    "check_impressions",
    "check_sample",
    "click_columns",
    "compare_rankings",
    "first_rank",
    "interleaving",
    "judging_tasks",
    "labels_of_counts",
    "later_clicks",
    "qrels_from_clicks",
    "qrels_from_judges",
    "qrels_from_ranking",
    "read_judged_tasks",
    "repeated_rows",
    "sample_queries",
    "without_user",
]
