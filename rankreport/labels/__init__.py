"""Where judgments come from: another system's ranking, clicks."""

from rankreport.labels.clicks import (
    CLICK_CAUTIONS,
    CLICK_MODELS,
    ClickLabels,
    qrels_from_clicks,
)
from rankreport.labels.from_ranking import qrels_from_ranking
from rankreport.labels.rankings import RANKING_CAUTIONS, RankingComparison, compare_rankings
from rankreport.labels.team_draft import INTERLEAVING_CAUTIONS, Interleaving, interleaving

__all__ = [
    "CLICK_CAUTIONS",
    "CLICK_MODELS",
    "INTERLEAVING_CAUTIONS",
    "RANKING_CAUTIONS",
    "ClickLabels",
    "Interleaving",
    "RankingComparison",
    "compare_rankings",
    "interleaving",
    "qrels_from_clicks",
    "qrels_from_ranking",
]
