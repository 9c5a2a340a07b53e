from rankreport.cli import catalogue as catalogue
from rankreport.cli.app import main

__all__ = ["main"]
