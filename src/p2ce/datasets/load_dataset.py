"""Load a data set by its name, with or without its categories."""

from io import BytesIO

import pandas as pd

from p2ce.datasets.dataset import Dataset
from p2ce.datasets.facts import FACTS
from p2ce.datasets.finding import find
from p2ce.errors import InvalidArgument, nearest
from p2ce.visible import echoed


def load(name: str, *, categories: bool = False) -> Dataset:
    """Load one of the paper's data sets, by its name.

    - "german": UCI's "Statlog (German Credit Data)" with the columns of Ustun et al. 1000 people, 27
      features, 70 % of them good risks. ``categories`` adds PurposeOfLoan. Seven features are immutable,
      gender among them. In the authors' list of them gender is misspelt (``isMale``; the column is
      ``is_male``), so it could change in their experiments: those had 21 mutable features, this has 20. To
      repeat theirs, leave ``is_male`` out of what is fixed.
    - "taiwan": UCI's "Default of Credit Card Clients" of 2005, summed up over six months as Ustun et al. do.
      30000 people, 11 features, 78 % of them paid the next month. ``categories`` adds EDUCATION and MARRIAGE,
      whose labels are numbers. Age is immutable, and so is MARRIAGE.
    - "adult": UCI's "Adult", of the census of 1994: the 16281 test rows, then the 32561 training rows. 48842
      people, 8 features, 24 % of them earn more than 50,000 dollars a year. ``categories`` adds occupation,
      relationship and race; an unknown occupation is the label "?". Gender and age are immutable, and so is
      race.

    The file comes from the folder that ``P2CE_DATA`` names, else from the user's cache (``P2CE_CACHE`` names
    another folder for it), else from OpenML.

    Raises `MissingData` if no place has it, and `DamagedData` if what is there has another checksum.

    >>> from p2ce import datasets
    >>> german = datasets.load("german")  # doctest: +SKIP
    >>> german.data.shape, german.target.mean()  # doctest: +SKIP
    ((1000, 27), 0.7)
    """
    if not isinstance(name, str) or name not in FACTS:
        raise InvalidArgument(f"There is no data set {echoed(name)}. {nearest(name, FACTS)}")
    facts = FACTS[name]
    table = pd.read_csv(BytesIO(find(facts)))
    target = table.pop(facts.target).astype("int64")
    shown = facts.categories if categories else ()
    if categories:
        table = table.astype(dict.fromkeys(facts.categories, "category"))
    else:
        table = table.drop(columns=list(facts.categories))
    return Dataset(
        name=facts.name,
        data=table,
        target=target,
        immutable=tuple(name for name in facts.immutable if name in table.columns),
        categories=shown,
    )
