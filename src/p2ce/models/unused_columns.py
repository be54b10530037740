"""Find the columns of a reference that no model uses, such as an id, a date or the outcome itself."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from p2ce.models.decisions.row_format import fitted_names
from p2ce.tables.encode import is_slip


def unused_columns(model: Any, reference: pd.DataFrame) -> tuple[str, ...]:
    """Return the columns that a model, or each of several, was not fitted on; none if that is unknown.

    A model that lacks a column of its own gets all of them, and its family says which one is missing. A
    column whose name is a slip of the pen away from one of the model stays, too, and is reported as an error.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> people = pd.DataFrame({"Income": [10, 40], "Debts": [3, 0]})
    >>> model = DecisionTreeClassifier().fit(people, [0, 1])
    >>> unused_columns(model, people.assign(id=[7, 8], Incmoe=[1, 2]))
    ('id',)
    """
    models: Sequence[Any] = model if isinstance(model, list | tuple) else [model]
    known = [fitted_names(one, reference) for one in models]
    given = [str(label) for label in reference.columns]
    used = {name for names in known if names is not None for name in names}
    if not models or any(names is None for names in known) or not used <= set(given):
        return ()
    return tuple(
        name
        for name in given
        if name not in used and not any(is_slip(name.lower(), own.lower()) for own in used)
    )
