"""People whose home is one category in three columns of 0 and 1."""

import numpy as np
import pandas as pd

from p2ce.grid.grouped_axis import Compound

PEOPLE = pd.DataFrame(
    {
        "Home_free": [1, 0, 0, 0, 0, 0],
        "Home_own": [0, 1, 0, 1, 0, 1],
        "Home_rent": [0, 0, 1, 0, 1, 0],
        "Age": [20, 30, 40, 50, 60, 70],
    }
)
HOME = Compound(
    name="Home",
    members=np.array([0, 1, 2]),
    levels=np.vstack([np.eye(3), np.zeros(3)]),
    may_go_to=np.array([True, True, True, False]),
)
