"""Load a data set by its name, with or without its categories."""

from io import BytesIO

import pandas as pd

from p2ce.datasets.dataset import Dataset
from p2ce.datasets.facts import ADULT, FACTS, GERMAN, TAIWAN, Facts
from p2ce.datasets.finding import find
from p2ce.errors import InvalidArgument, nearest
from p2ce.visible import echoed


def load_german(*, categories: bool = False) -> Dataset:
    """Load German Credit: 1000 people, 27 features, 70 % of them good risks.

    The data are UCI's "Statlog (German Credit Data)", with the columns of Ustun et al. ``categories`` adds
    PurposeOfLoan.

    Seven features are immutable, gender among them. In the authors' list of them gender is misspelt
    (``isMale``; the column is ``is_male``), so it could change in their experiments: those had 21 mutable
    features, this has 20. To repeat theirs, leave ``is_male`` out of what is fixed.

    >>> from p2ce import datasets
    >>> german = datasets.load_german()  # doctest: +SKIP
    >>> german.features.shape  # doctest: +SKIP
    (1000, 27)
    """
    return _load(GERMAN, categories=categories)


def load_taiwan(*, categories: bool = False) -> Dataset:
    """Load the credit card clients of Taiwan: 30000 people, 11 features, 78 % of them paid the next month.

    The data are UCI's "Default of Credit Card Clients" of 2005, summed up over six months as Ustun et al.
    do. ``categories`` adds EDUCATION and MARRIAGE, whose labels are numbers. Age is immutable, and so is
    MARRIAGE.

    >>> from p2ce import datasets
    >>> datasets.load_taiwan().immutable  # doctest: +SKIP
    ('Age',)
    """
    return _load(TAIWAN, categories=categories)


def load_adult(*, categories: bool = False) -> Dataset:
    """Load Adult: 48842 people, 8 features, 24 % of them earn more than 50,000 dollars a year.

    The data are UCI's "Adult", of the census of 1994: the 16281 test rows, then the 32561 training rows.
    ``categories`` adds occupation, relationship and race; an unknown occupation is the label "?". Gender
    and age are immutable, and so is race.

    >>> from p2ce import datasets
    >>> datasets.load_adult(categories=True).categories  # doctest: +SKIP
    ('occupation', 'relationship', 'race')
    """
    return _load(ADULT, categories=categories)


def load(name: str, *, categories: bool = False) -> Dataset:
    """Load "german", "taiwan" or "adult".

    The file comes from the folder that ``P2CE_DATA`` names, else from the user's cache (``P2CE_CACHE`` names
    another folder for it), else from OpenML.

    Raises `MissingData` if no place has it, and `DamagedData` if what is there has another checksum.

    >>> from p2ce import datasets
    >>> datasets.load("german").outcome.mean()  # doctest: +SKIP
    0.7
    """
    if not isinstance(name, str) or name not in FACTS:
        raise InvalidArgument(f"There is no data set {echoed(name)}. {nearest(name, FACTS)}")
    return _load(FACTS[name], categories=categories)


def _load(facts: Facts, *, categories: bool) -> Dataset:
    table = pd.read_csv(BytesIO(find(facts)))
    outcome = table.pop(facts.target).astype("int64")
    shown = facts.categories if categories else ()
    if categories:
        table = table.astype(dict.fromkeys(facts.categories, "category"))
    else:
        table = table.drop(columns=list(facts.categories))
    return Dataset(
        name=facts.name,
        features=table,
        outcome=outcome,
        immutable=tuple(name for name in facts.immutable if name in table.columns),
        categories=shown,
    )
