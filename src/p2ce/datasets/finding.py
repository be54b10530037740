"""Find a data file in the first place that has it, and check its checksum."""

import hashlib
import logging
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from p2ce.base.files import write_whole
from p2ce.base.visible import echoed
from p2ce.datasets.facts import Facts
from p2ce.datasets.openml import fetch_raw
from p2ce.datasets.places import CACHE, DATA, cache_folder, named_folder
from p2ce.datasets.preparing import as_csv, prepare
from p2ce.errors import DamagedData, InvalidArgument, MissingData

log = logging.getLogger("p2ce")


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
        table = prepare(facts.name, raw)
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
