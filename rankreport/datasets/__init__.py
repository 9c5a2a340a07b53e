"""Data sets that come with the package."""

from rankreport.datasets.example import Example, load_example
