"""Which versions the outputs on the pages come from: with others, models and their figures differ."""

import json
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

FILE = Path(__file__).with_name("versions.json")  # written by scripts/docs outputs
LIBRARIES = ("numpy", "pandas", "scikit-learn", "lightgbm", "xgboost-cpu", "interpret-core", "pygam")


def installed() -> dict[str, str]:
    """Return the platform, and of each installed library the first two parts of its version."""
    found = {"platform": sys.platform}
    for name in LIBRARIES:
        try:
            found[name] = ".".join(version(name).split(".")[:2])
        except PackageNotFoundError:
            continue
    return found


def others() -> str:
    """State which versions here are not those of the pages; empty if there are none."""
    of_pages = json.loads(FILE.read_text(encoding="utf-8"))
    differ = [
        f"{name} {got} instead of {of_pages[name]}"
        for name, got in installed().items()
        if got != of_pages[name]
    ]
    return ", ".join(differ)


def record() -> None:
    """Write down what is installed now."""
    FILE.write_text(json.dumps(installed(), indent=2) + "\n", encoding="utf-8")
