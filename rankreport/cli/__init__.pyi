from rankreport.cli import catalogue as catalogue
from rankreport.cli.app import main, program

__all__ = ["main", "program"]
