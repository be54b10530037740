"""Report values that look like codes, such as -9 or 999; the user decides whether they are special."""

from typing import TYPE_CHECKING

from p2ce.apps.messages import counted, notice
from p2ce.visible import echoed

if TYPE_CHECKING:
    import pandas as pd

MOST_SHOWN = 3  # columns


def propose_special(people: "pd.DataFrame", *, command: bool = False) -> None:
    """Print one line about values that look like codes, and how to say that they are; nothing where none do.

    ``command`` says that the command which was given can be repeated with --special-values.
    """
    import numpy as np
    import pandas as pd

    from p2ce.problem.special import detected

    numbers = {
        str(name): people[name].dropna().to_numpy(dtype=np.float64)
        for name in people.columns
        if pd.api.types.is_numeric_dtype(people[name]) and not pd.api.types.is_bool_dtype(people[name])
    }
    found = detected(numbers)
    if not found:
        return
    shown = "; ".join(
        f"{codes_in_words(codes)} in {echoed(name)}" for name, codes in list(found.items())[:MOST_SHOWN]
    )
    more = len(found) - MOST_SHOWN
    others = f"; and {counted(more, 'more column')}" if more > 0 else ""
    which = "Repeat this with" if command else "Write a policy with: p2ce policy infer"
    notice(
        f"These values look like codes and not like numbers: {shown}{others}. If they are, nobody should be "
        f"advised to go there. {which} --special-values detect, or list them in the policy: "
        f"special: [{codes_in_words(next(iter(found.values())))}]"
    )


def codes_in_words(codes: tuple[float, ...]) -> str:
    """List codes as people write them: -9, -8."""
    from p2ce.problem.feature import shown

    return ", ".join(shown(code) for code in codes)
