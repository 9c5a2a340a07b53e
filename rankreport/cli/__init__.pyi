from rankreport.cli import app as app
from rankreport.cli import catalogue as catalogue
from rankreport.cli.start import main

__all__ = ["main"]
