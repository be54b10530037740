"""Define a loaded data set, and state what is known about each of the paper's: table, columns, checksum."""

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dataset:
    """A data set. The paper's data sets are complete, with the rows in their original order.

    ``data`` (n, d) holds numbers, and columns of type category for those named in ``categories``. ``target``
    (n,) is 1 for a favourable outcome and 0 otherwise. ``immutable`` names the columns of ``data`` that
    cannot change, such as age.
    """

    name: str
    data: pd.DataFrame
    target: "pd.Series[int]"
    immutable: tuple[str, ...]
    categories: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What must be known about a data set before its file is read."""

    name: str
    openml: int  # the id of the raw table on OpenML
    sha256: str  # of the prepared file
    target: str  # 1 is the favourable outcome
    categories: tuple[str, ...]  # left out in the paper's experiments
    immutable: tuple[str, ...]  # categories included

    @property
    def file(self) -> str:
        """The file name, the same in every folder."""
        return f"{self.name}.csv"


GERMAN = Facts(
    name="german",
    openml=31,  # credit-g
    sha256="e32b56cd41fa0b62300f66cb2a6176bf23ae3c75d56e4d0c5d62b0792092e45b",
    target="GoodCustomer",
    categories=("PurposeOfLoan",),
    # The authors' list says isMale, which is not a column, so gender was mutable in their experiments.
    immutable=(
        "Age",
        "OwnsHouse",
        "is_male",
        "JobClassIsSkilled",
        "Single",
        "ForeignWorker",
        "RentsHouse",
    ),
)

TAIWAN = Facts(
    name="taiwan",
    openml=42477,  # default-of-credit-card-clients
    sha256="007ebadc025c3168fc1027d9f86e5af84356d8608e8f32e6ccbe61f6f0a6d0c5",
    target="NoDefaultNextMonth",
    categories=("EDUCATION", "MARRIAGE"),
    immutable=("Age", "MARRIAGE"),
)

ADULT = Facts(
    name="adult",
    openml=1590,  # adult, version 2: the test rows first
    sha256="aad4019683ff8d8ee92551c220535209a0d94478842461a3bc27e7d94a81cf19",
    target="income",
    categories=("occupation", "relationship", "race"),
    immutable=("is_male", "age", "race"),
)

FACTS = {facts.name: facts for facts in (GERMAN, TAIWAN, ADULT)}
