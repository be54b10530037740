"""Load the paper's data sets (German Credit, Taiwan credit card clients, Adult), or generate applicants.

    from p2ce import datasets

    model, rows, explainer = datasets.load_demo()  # needs no file and no network
    applicants = datasets.make_applicants(800)

    german = datasets.load("german")
    german.data, german.target, german.immutable

A file is taken from the first of three places that has it:

1. the folder that the environment variable ``P2CE_DATA`` names,
2. the user's cache, or the folder that ``P2CE_CACHE`` names,
3. OpenML. The downloaded table is prepared as the paper's authors did, and kept in the cache.

The file must have the published checksum, so the rows are the same everywhere.
"""

from p2ce.datasets.dataset import Dataset
from p2ce.datasets.demo import Demo, load_demo
from p2ce.datasets.load_dataset import load
from p2ce.datasets.made_up import make_applicants

__all__ = ["Dataset", "Demo", "load", "load_demo", "make_applicants"]
