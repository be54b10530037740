"""Look at a model before it is asked in earnest: what asking costs, and whether all can be asked about."""

import logging
import time
from typing import NamedTuple

import numpy as np

from p2ce.arrays import FloatArray
from p2ce.verify.build import count_cells
from p2ce.verify.estimate import CompleteSearch, ask_rows
from p2ce.verify.setup import Setup

log = logging.getLogger("p2ce")

LOOKED_AT = 256
# A grid that cannot take longer than this for a person, with every cell asked about, needs no thought.
LONGEST_SECONDS = 120.0
# Otherwise some people are tried, for so long each: most searches ask about a small part of their grid.
TRIED_PEOPLE = 3
TRIED_SECONDS = 20.0


class FirstLook(NamedTuple):
    """What some reference rows showed."""

    per_row: float  # seconds that asking about a row takes
    refused: FloatArray  # (at most TRIED_PEOPLE, d) rows that are refused


def look_first(setup: Setup, rows: FloatArray) -> FirstLook:
    """Ask about some reference rows; a model that decides alike about all of them is probably fed wrongly."""
    asked = ask_rows(setup)
    some = rows[:: -(-len(rows) // LOOKED_AT)]  # spread out, since a frame may be sorted
    begin = time.perf_counter()  # the model was asked when it was read, and has loaded what it needs
    scores = asked(some)
    taken = time.perf_counter() - begin
    refused = some[scores < setup.threshold]
    if len(some) > 1 and len(refused) in (0, len(some)):
        decides = "refuses" if len(refused) else "accepts"
        log.warning(
            "The model %s all %d reference rows that were looked at. If it was trained on scaled or encoded "
            "data, pass it together with that step (a Pipeline, a module that scales by itself).",
            decides,
            len(some),
        )
    return FirstLook(per_row=taken / len(some), refused=refused[:TRIED_PEOPLE])


def takes_too_long(setup: Setup, look: FirstLook, search: CompleteSearch) -> bool:
    """Tell whether asking about everything that may matter takes longer than anybody waits.

    A small grid, or a quick model, cannot. Else it is tried on a few people.
    """
    cells = count_cells(tuple(sorted(setup.grid.lengths.tolist())), setup.max_changes)
    if cells * look.per_row <= LONGEST_SECONDS or not len(look.refused):
        return False
    finished = search(setup, look.refused, TRIED_SECONDS).finished
    too_long = 2 * int(np.count_nonzero(finished)) < len(finished)
    if too_long:
        log.warning(
            "Asking about everything takes too long (%.2g ms a row; %d of %d people were not done in %.0f s "
            "each): bound='shap' prunes from here on, and answers are HEURISTIC. Pass bound='none' to insist "
            "on proof, with a time_limit if you like.",
            1e3 * look.per_row,
            len(finished) - int(np.count_nonzero(finished)),
            len(finished),
            TRIED_SECONDS,
        )
    return too_long
