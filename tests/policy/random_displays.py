"""Draw displays: any words, units and decimals, and names for any values."""

from typing import get_args

from hypothesis import strategies as st

from p2ce.policy.features.display import Display, Style, value_key

words = st.text(max_size=20) | st.dictionaries(
    st.sampled_from(["en", "pt", "es", "de"]), st.text(max_size=20)
)
named = st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text(max_size=9)
names_of_values = st.lists(
    st.tuples(named, words), max_size=3, unique_by=lambda pair: value_key(pair[0])
).map(dict)
displays = st.builds(
    Display,
    name=words,
    unit=words,
    unit_first=st.booleans(),
    style=st.sampled_from(get_args(Style)),
    decimals=st.none() | st.integers(0, 15),
    values=names_of_values,
    phrases=names_of_values,
)
