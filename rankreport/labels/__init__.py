"""Where judgments come from: another system's ranking, clicks."""

from rankreport.labels.from_ranking import qrels_from_ranking
from rankreport.labels.rankings import RANKING_CAUTIONS, RankingComparison, compare_rankings

__all__ = ["RANKING_CAUTIONS", "RankingComparison", "compare_rankings", "qrels_from_ranking"]
