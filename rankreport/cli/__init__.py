"""The command line: every command calls a public function."""

from rankreport.cli.app import main

__all__ = ["main"]
