"""Where judgments come from: another system's ranking, clicks."""

from rankreport.labels.clicks import (
    CLICK_CAUTIONS,
    CLICK_MODELS,
    ClickLabels,
    qrels_from_clicks,
)
from rankreport.labels.from_ranking import qrels_from_ranking
from rankreport.labels.rankings import RANKING_CAUTIONS, RankingComparison, compare_rankings

__all__ = [
    "CLICK_CAUTIONS",
    "CLICK_MODELS",
    "RANKING_CAUTIONS",
    "ClickLabels",
    "RankingComparison",
    "compare_rankings",
    "qrels_from_clicks",
    "qrels_from_ranking",
]
