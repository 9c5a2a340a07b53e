"""What was found, arranged for people to read, and written as pages, notebooks and files."""

from typing import TYPE_CHECKING

from rankreport._public import attach

if TYPE_CHECKING:
    from rankreport.reports._report import Report, history_report, load_report, report
    from rankreport.reports.content import date_of
    from rankreport.reports.formats import FORMATS
    from rankreport.reports.mlflow import log_to_mlflow
    from rankreport.reports.theme import Theme
else:
    __getattr__, __dir__ = attach(globals())
