"""The command line: every command calls a public function."""

from rankreport.cli.start import main
