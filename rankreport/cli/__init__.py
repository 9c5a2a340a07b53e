"""The command line: every command calls the function that a notebook would call."""

from rankreport.cli.app import main

__all__ = ["main"]
