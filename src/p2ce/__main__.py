"""Run the command line with ``python -m p2ce``."""

from p2ce.apps.cli import main

if __name__ == "__main__":
    main()
