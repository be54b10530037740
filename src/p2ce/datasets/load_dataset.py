"""Load a data set by name: from the user's folder, the cache or OpenML, if its checksum is right."""

import hashlib
import logging
import os
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from warnings import catch_warnings, simplefilter

import pandas as pd
from platformdirs import user_cache_path

from p2ce.base.files import write_whole
from p2ce.base.visible import echoed
from p2ce.datasets.dataset import FACTS, Dataset, Facts
from p2ce.datasets.preparing import as_csv, prepare_table
from p2ce.errors import DamagedData, InvalidArgument, MissingData, nearest

log = logging.getLogger("p2ce")
DATA, CACHE = "P2CE_DATA", "P2CE_CACHE"  # environment variables


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


def fetch_raw(facts: Facts) -> pd.DataFrame:
    """Download the raw table (n, features and target). Errors of scikit-learn and the network propagate."""
    from sklearn.datasets import fetch_openml

    # Only the prepared file is kept. A damaged raw copy in a cache would fail again and again.
    with TemporaryDirectory(prefix="p2ce-") as scratch, catch_warnings():
        simplefilter("ignore")  # warnings about retries; a final failure raises our own error
        fetched = fetch_openml(
            data_id=facts.openml,
            data_home=scratch,
            as_frame=True,
            n_retries=1,
            # "pandas" fails for labels that are numbers, such as Taiwan's (scikit-learn 1.9, pandas 3.1).
            parser="liac-arff",
        )
    table: pd.DataFrame = fetched.frame
    return table


def find(facts: Facts, *, fetch: Callable[[Facts], pd.DataFrame] = fetch_raw) -> bytes:
    """Read the file from the user's folder or the cache, or prepare what ``fetch`` returns and cache it."""
    named, cached = named_folder(), cache_folder() / facts.file
    if named is not None and (path := named / facts.file).is_file():
        return _checked(
            path.read_bytes(),
            facts,
            shown=f"{path} (in the folder that {DATA} names)",
            advice=f"Put the published {facts.file} there, or unset {DATA} to use the cache or OpenML.",
        )
    if cached.is_file():
        return _checked(
            cached.read_bytes(),
            facts,
            shown=f"{cached} (in the cache)",
            advice="Delete it to download it from OpenML again.",
        )
    try:
        raw = fetch(facts)
    except Exception as error:  # the advice is the same for every kind of failure
        raise MissingData(_not_found(facts, named, cached.parent, error)) from error
    text = _prepared(raw, facts)
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        write_whole(cached, text)
    except (OSError, InvalidArgument) as error:
        log.warning("%s could not be cached (%s). Set %s to another folder.", cached, error, CACHE)
    return text


def _checked(text: bytes, facts: Facts, *, shown: str, advice: str) -> bytes:
    found = hashlib.sha256(text).hexdigest()
    if found != facts.sha256:
        raise DamagedData(
            f"{shown} is not the data set {echoed(facts.name)} as published: expected the SHA-256 checksum "
            f"{facts.sha256}, got {found}. {advice}"
        )
    return text


def _prepared(raw: pd.DataFrame, facts: Facts) -> bytes:
    number, advice = facts.openml, f"Set {DATA} to a folder that holds {facts.file}."
    try:
        table = prepare_table(facts.name, raw)
    except (KeyError, ValueError) as error:
        raise DamagedData(
            f"Table {number} of OpenML no longer has the form needed to prepare {echoed(facts.name)}: "
            f"{echoed(error)}. {advice}"
        ) from error
    return _checked(
        as_csv(table), facts, shown=f"The file prepared from OpenML's table {number}", advice=advice
    )


def _not_found(facts: Facts, named: Path | None, cache: Path, error: Exception) -> str:
    of_user = f"{DATA} is not set" if named is None else f"not in {named}, which {DATA} names"
    return (
        f"The data set {echoed(facts.name)} was not found: {of_user}; not in the cache {cache}; and "
        f"table {facts.openml} could not be downloaded from OpenML ({type(error).__name__}: {error}). Set "
        f"{DATA} to a folder that holds {facts.file}, or connect to the network once to cache the file."
    )


def named_folder() -> Path | None:
    """Return the folder that the user named, or None. It is only read."""
    return _folder_of(DATA)


def cache_folder() -> Path:
    """Return the folder for downloads: the one that P2CE_CACHE names, else the user's cache."""
    return _folder_of(CACHE) or user_cache_path("p2ce", appauthor=False)


def _folder_of(variable: str) -> Path | None:
    named = os.environ.get(variable)
    return Path(named).expanduser() if named else None  # an empty variable counts as not set
