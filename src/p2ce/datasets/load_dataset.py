"""Load a data set by name, with or without its categorical columns."""

from io import BytesIO

import pandas as pd

from p2ce.base.visible import echoed
from p2ce.datasets.dataset import Dataset
from p2ce.datasets.facts import FACTS
from p2ce.datasets.finding import find
from p2ce.errors import InvalidArgument, nearest


def load(name: str, *, categories: bool = False) -> Dataset:
    """Load one of the paper's data sets.

    - "german": UCI's "Statlog (German Credit Data)" with the columns of Ustun et al. It has 1000 people and
      27 features; 70 % of the people are good risks. The categorical column is PurposeOfLoan. Seven features
      are immutable, including gender. The authors' list misspells gender (``isMale`` instead of ``is_male``),
      so it could change in their experiments: they had 21 mutable features, and this list leaves 20. To
      repeat their experiments, do not fix ``is_male``.
    - "taiwan": UCI's "Default of Credit Card Clients" of 2005, with six months aggregated as Ustun et al. do.
      It has 30000 people and 11 features; 78 % of the people paid the next month. The categorical columns are
      EDUCATION and MARRIAGE, whose labels are numbers. Age and MARRIAGE are immutable.
    - "adult": UCI's "Adult" from the census of 1994: the 16281 test rows, then the 32561 training rows. It
      has 48842 people and 8 features; 24 % of the people earn more than 50,000 dollars a year. The
      categorical columns are occupation, relationship and race. An unknown occupation has the label "?".
      Gender, age and race are immutable.

    The file comes from the folder that ``P2CE_DATA`` names, else from the user's cache or the folder that
    ``P2CE_CACHE`` names, else from OpenML.

    Args:
        name: "german", "taiwan" or "adult".
        categories: Whether to include the categorical columns. The default is False.

    Raises:
        MissingData: If the file is in none of these places.
        DamagedData: If a file has another checksum than the published one.

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
