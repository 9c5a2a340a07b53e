# The public names: this list is the only one, and `rankreport._public` reads it.

__version__: str

from rankreport import charts as charts
from rankreport import statistics as statistics
from rankreport.comparison import Comparison as Comparison
from rankreport.comparison import JudgeComparison as JudgeComparison
from rankreport.comparison import Pair as Pair
from rankreport.comparison import TaskMeans as TaskMeans
from rankreport.comparison import compare as compare
from rankreport.comparison import compare_by_judge as compare_by_judge
from rankreport.comparison import judge_next as judge_next
from rankreport.comparison import read_mteb_results as read_mteb_results
from rankreport.datasets import Example as Example
from rankreport.datasets import load_example as load_example
from rankreport.errors import DataError as DataError
from rankreport.errors import MeasureError as MeasureError
from rankreport.errors import OptionError as OptionError
from rankreport.errors import OutputError as OutputError
from rankreport.errors import RankReportError as RankReportError
from rankreport.evaluation import DEFAULT_MEASURES as DEFAULT_MEASURES
from rankreport.evaluation import PROFILES as PROFILES
from rankreport.evaluation import DataCheck as DataCheck
from rankreport.evaluation import Evaluation as Evaluation
from rankreport.evaluation import Profile as Profile
from rankreport.evaluation import check as check
from rankreport.evaluation import evaluate as evaluate
from rankreport.evaluation import evaluate_labelled as evaluate_labelled
from rankreport.evaluation import evaluate_models as evaluate_models
from rankreport.evaluation import evaluate_recommenders as evaluate_recommenders
from rankreport.evaluation import evaluate_retrieved as evaluate_retrieved
from rankreport.evaluation import join_datasets as join_datasets
from rankreport.evaluation import load_evaluation as load_evaluation
from rankreport.evaluation import scan as scan
from rankreport.evaluation import scan_judged as scan_judged
from rankreport.gates import Gate as Gate
from rankreport.gates import gate as gate
from rankreport.history import History as History
from rankreport.io import Collection as Collection
from rankreport.io import beside_notebook as beside_notebook
from rankreport.io import read_beir as read_beir
from rankreport.io import read_datasets as read_datasets
from rankreport.io import read_labelled as read_labelled
from rankreport.io import read_msearch as read_msearch
from rankreport.io import read_mteb as read_mteb
from rankreport.io import read_qrels as read_qrels
from rankreport.io import read_queries as read_queries
from rankreport.io import read_run as read_run
from rankreport.io import read_runs as read_runs
from rankreport.io import read_sql as read_sql
from rankreport.labels import ClickLabels as ClickLabels
from rankreport.labels import Interleaving as Interleaving
from rankreport.labels import JudgeLabels as JudgeLabels
from rankreport.labels import RankingComparison as RankingComparison
from rankreport.labels import RankingLabels as RankingLabels
from rankreport.labels import compare_rankings as compare_rankings
from rankreport.labels import interleaving as interleaving
from rankreport.labels import judging_tasks as judging_tasks
from rankreport.labels import qrels_from_clicks as qrels_from_clicks
from rankreport.labels import qrels_from_judges as qrels_from_judges
from rankreport.labels import qrels_from_ranking as qrels_from_ranking
from rankreport.labels import read_judged_tasks as read_judged_tasks
from rankreport.labels import sample_queries as sample_queries
from rankreport.leaderboards import Leaderboard as Leaderboard
from rankreport.leaderboards import leaderboard as leaderboard
from rankreport.measures import Measure as Measure
from rankreport.measures import catalogue as catalogue
from rankreport.measures import measure as measure
from rankreport.measures import parse as parse
from rankreport.measures import score as score
from rankreport.measures.beyond_accuracy import *
from rankreport.measures.binary import *
from rankreport.measures.counts import *
from rankreport.measures.diversity import *
from rankreport.measures.gain import *
from rankreport.measures.incomplete import *
from rankreport.measures.pairs import *
from rankreport.measures.thresholds import *
from rankreport.measures.user import *
from rankreport.planning import Plan as Plan
from rankreport.planning import plan as plan
from rankreport.reports import Report as Report
from rankreport.reports import Theme as Theme
from rankreport.reports import history_report as history_report
from rankreport.reports import load_report as load_report
from rankreport.reports import log_to_mlflow as log_to_mlflow
from rankreport.reports import report as report
from rankreport.tables import ResultTable as ResultTable
from rankreport.tables import Table as Table
from rankreport.tables import to_table as to_table
from rankreport.text import set_language as set_language
