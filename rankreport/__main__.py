"""The command line, as ``python -m rankreport``."""

from rankreport.cli import main

if __name__ == "__main__":
    main()
