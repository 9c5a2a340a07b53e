"""Where judgments come from: several people, another system's ranking, clicks."""

from typing import TYPE_CHECKING

from rankreport._public import attach

if TYPE_CHECKING:
    from rankreport.labels.click_models import ClickScores, Impressions
    from rankreport.labels.clicks import (
        SHOWN,
        ClickCounts,
        ClickLabels,
        ClickOptions,
        check_impressions,
        check_users,
        click_columns,
        first_rank,
        highest_pairs,
        labels_of_counts,
        later_clicks,
        list_keys,
        names_lists,
        qrels_from_clicks,
        repeated_rows,
        without_user,
    )
    from rankreport.labels.from_ranking import RankingLabels, qrels_from_ranking
    from rankreport.labels.judges import (
        JudgeLabels,
        RatedLabels,
        RatingColumns,
        check_ratings,
        combined_ratings,
        judge_settings,
        most_different,
        qrels_from_judges,
        rating_columns,
    )
    from rankreport.labels.random_sample import check_sample, sample_queries
    from rankreport.labels.rankings import (
        RANKING_TIES,
        RankingComparison,
        compare_rankings,
        ranks_the_same,
    )
    from rankreport.labels.rating_counts import CountedRatings, RatingCounts, sums_by_judge
    from rankreport.labels.source import CLICK_MODELS, COMBINED, Labels, LabelSource
    from rankreport.labels.tasks import judging_tasks, read_judged_tasks
    from rankreport.labels.team_draft import (
        DRAFTED,
        DraftedLists,
        Interleaving,
        InterleavingOptions,
        drafted_faults,
        interleaved_sides,
        interleaving,
        interleaving_columns,
        interleaving_of_lists,
    )
else:
    __getattr__, __dir__ = attach(globals())
