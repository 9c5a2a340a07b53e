"""What was found, arranged for people to read, and written as pages, notebooks and files."""

from rankreport.reports._report import FORMATS, Report, history_report, load_report, report
from rankreport.reports.content import date_of
from rankreport.reports.mlflow import log_to_mlflow
from rankreport.reports.theme import Theme
