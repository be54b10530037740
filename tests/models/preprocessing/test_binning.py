"""Are step functions those of the library, at every cut, special code and gap?"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce.models.preprocessing.binning import stretches_of
from p2ce.models.preprocessing.operations import StepTable
from tests.models.preprocessing.test_parse_transformers import looked_through
from tests.optional import needs
from tests.properties.amount import examples

WHOLE = st.integers(-6, 6).map(float)


@given(st.sets(WHOLE, max_size=5), st.sets(WHOLE, max_size=3), st.data())
@examples(60)
def test_a_function_changes_at_its_stretches_and_at_single_numbers_only(cuts, codes, data):
    ends = np.unique(np.concatenate([[*cuts], np.nextafter([*codes], -np.inf), [*codes]]))
    count = len(ends) + 1
    values = np.array(data.draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=count, max_size=count)))
    table = StepTable(ends, np.append(values, 7.0)[:, None])
    found = stretches_of(ends, values)
    tried = np.arange(-7.0, 7.25, 0.25)
    tried = np.setdiff1d(tried, [*codes])
    of_tried = table.apply(tried[:, None].copy())[:, 0]
    for left, right, before, after in zip(tried, tried[1:], of_tried, of_tried[1:], strict=False):
        between = found[(found >= left) & (found < right)]
        assert (before == after) or len(between)
    assert table.apply(np.array([[np.nan], [np.inf]]))[:, 0].tolist() == [7.0, np.inf]


@pytest.mark.filterwarnings("ignore")  # of the library, about pandas
@pytest.mark.parametrize("metric", ["woe", "event_rate", "indices"])
def test_bins_special_codes_and_gaps_are_those_of_optbinning(metric):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, 400),
            "rate": rng.normal(0, 1, 400).round(2).astype(np.float32),
            "late": rng.choice([0.0, 1.0, 2.0, -9.0, 5.0, 6.0], 400),
            "job": rng.choice(["cook", "clerk", "smith"], 400),
        }
    )
    frame.loc[rng.random(400) < 0.1, "late"] = np.nan
    label = (frame["age"] / 20 + frame["rate"] + frame["late"].fillna(3) + rng.normal(0, 1, 400) > 4).astype(
        int
    )
    empirical = {"metric": metric, "metric_special": "empirical", "metric_missing": "empirical"}
    process = (
        needs("optbinning")
        .BinningProcess(
            list(frame),
            categorical_variables=["job"],
            special_codes={"none": -9, "two": [5, 6]},
            binning_transform_params=dict.fromkeys(frame, empirical),
        )
        .fit(frame, label)
    )
    seen = looked_through(process, frame)
    steps = [one.operations[-1] for one in seen.maps.maps_by_input if not one.is_category]
    assert all(isinstance(one, StepTable) for one in steps)
    ends = np.concatenate([one.ends for one in steps[1:]])
    near = np.concatenate([ends, np.nextafter(ends, np.inf), [-9.0, 5.0, 6.0, 1e300, np.nan]])
    rows = frame.sample(len(near), replace=True, random_state=0).reset_index(drop=True).assign(late=near)
    rows["rate"] = near.clip(-9, 9).astype(np.float32)
    rows["rate"] = rows["rate"].fillna(0.0)
    shown = seen.maps.show(seen.preparation.codebook.encode(rows))
    assert np.array_equal(shown, process.transform(rows).to_numpy(dtype=np.float64))
