"""Plain contexts to pages, notebooks, tables and terminal text."""
