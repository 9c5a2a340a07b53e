from rankreport.labels.cautions import CLICK_CAUTIONS, JUDGE_CAUTIONS, REFERENCE_CAUTIONS
from rankreport.labels.clicks import ClickLabels, qrels_from_clicks
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
    "CLICK_CAUTIONS",
    "CLICK_MODELS",
    "COMBINED",
    "INTERLEAVING_CAUTIONS",
    "JUDGE_CAUTIONS",
    "RANKING_CAUTIONS",
    "RANKING_TIES",
    "REFERENCE_CAUTIONS",
    "ClickLabels",
    "Interleaving",
    "JudgeLabels",
    "LabelSource",
    "Labels",
    "RankingComparison",
    "RankingLabels",
    "check_sample",
    "compare_rankings",
    "interleaving",
    "judging_tasks",
    "qrels_from_clicks",
    "qrels_from_judges",
    "qrels_from_ranking",
    "read_judged_tasks",
    "sample_queries",
]
