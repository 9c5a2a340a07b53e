from rankreport.reports._report import FORMATS, Report, load_report, report
from rankreport.reports.mlflow import log_to_mlflow
from rankreport.reports.theme import Theme

__all__ = ["FORMATS", "Report", "Theme", "load_report", "log_to_mlflow", "report"]
