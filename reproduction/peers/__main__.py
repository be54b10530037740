"""Install the peers' environments ahead of time: ``python -m reproduction.peers``."""

import argparse
from pathlib import Path
from time import perf_counter

from p2ce.datasets.load_dataset import cache_folder
from reproduction.peers.environments import FAMILIES, Missing, python_of


def main() -> int:
    """Install each missing environment, and print where it is or why it is missing."""
    parser = argparse.ArgumentParser(prog="python -m reproduction.peers", description=__doc__)
    parser.add_argument(
        "--environments",
        type=Path,
        default=cache_folder() / "peers",
        help="folder of the environments (default: in the user's cache)",
    )
    options = parser.parse_args()
    missing = 0
    for family in (make() for make in FAMILIES):
        started = perf_counter()
        try:
            python = python_of(family, environments=options.environments, progress=print)
            print(f"{family.name}: {python} ({perf_counter() - started:.0f} s)")
        except Missing as reason:
            missing += 1
            print(f"{family.name}: not installed: {reason}")
    return min(missing, 1)


if __name__ == "__main__":
    raise SystemExit(main())
