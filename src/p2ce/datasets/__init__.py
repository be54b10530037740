"""Load the paper's data sets (German Credit, the Taiwan credit card clients, Adult), or make up applicants.

    from p2ce import datasets

    model, rows, explainer = datasets.load_demo()  # needs no file and no network
    applicants = datasets.make_applicants(800)

    german = datasets.load("german")
    german.data, german.target, german.immutable

A file is taken from the first of three places: the folder named by the environment variable ``P2CE_DATA``,
the user's cache (or the folder named by ``P2CE_CACHE``), and OpenML, whose table is prepared as the authors
prepared theirs and then kept in the cache. Whatever the place, the bytes must have the published checksum,
so the rows are the same everywhere.
"""

from p2ce.datasets.dataset import Dataset
from p2ce.datasets.demo import Demo, load_demo
from p2ce.datasets.load_dataset import load
from p2ce.datasets.made_up import make_applicants

__all__ = ["Dataset", "Demo", "load", "load_demo", "make_applicants"]
