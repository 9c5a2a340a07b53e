"""The command line, as ``python -m rankreport``."""

from rankreport.cli import program

if __name__ == "__main__":
    program()
