"""Check PyTorch modules with several classes, and those whose output is a number."""

import numpy as np
import pandas as pd
import pytest

from p2ce.errors import InvalidArgument, InvalidTarget, UnsupportedModel
from p2ce.models.parse_model import parse_model
from tests.models.laws import assert_conforms

torch = pytest.importorskip("torch")
nn = torch.nn
COLUMNS = list("abcdef")
FRAME = pd.DataFrame(np.random.default_rng(0).normal(0.0, 2.0, (200, 6)), columns=COLUMNS)
DTYPES = [torch.float32, torch.float64]
ENDINGS = {
    "logits": list,
    "softmax": lambda: [nn.Softmax(dim=1)],
    "log softmax": lambda: [nn.LogSoftmax(dim=1)],
}


def build(outputs: int, ending: str = "logits", dtype=torch.float32) -> "nn.Sequential":
    torch.manual_seed(3)
    inner = [nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 8), nn.Tanh(), nn.Linear(8, outputs)]
    module = nn.Sequential(*inner, *ENDINGS[ending]()).to(dtype).eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter *= 3.0
    return module


def outputs_of(module, rows: pd.DataFrame) -> np.ndarray:
    dtype = next(module.parameters()).dtype
    with torch.inference_mode():
        return module(torch.tensor(rows.to_numpy()).to(dtype)).double().numpy()


class Wrapped(nn.Module):
    """Hides what it does."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, rows):
        return self.inner(rows)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_the_class_with_the_largest_output_wins(ending, dtype):
    module = build(4, ending, dtype)
    for target in range(4):
        found, rows = assert_conforms(module, FRAME, undecided=0.05, edge=True, target=target)
        largest = outputs_of(module, rows).argmax(axis=1)
        assert ((found.evaluate(rows) >= 0.0) == (largest == target)).all()
        assert (found.scale, found.threshold, found.classes) == ("lead", 0.0, (0, 1, 2, 3))
        assert len(found.scores) == 3
    shares = sum(parse_model(module, reference=FRAME, target=target).predict(FRAME) for target in range(4))
    assert np.abs(shares - 1.0).max() < 1e-5


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_probability_is_bounded_by_pairs_of_classes(ending, dtype):
    module = build(3, ending, dtype)
    own = parse_model(module, reference=FRAME, target=1, threshold=0.5).evaluate(FRAME)
    chosen = np.random.default_rng(2).choice(own[(own > 0.2) & (own < 0.99)], 3)
    for threshold in (0.5, *chosen, *np.nextafter(chosen, 1.0)):
        found, _ = assert_conforms(module, FRAME, target=1, threshold=float(threshold))
        assert not found.decides
    for extreme in (0.0, 1e-300, 1e-40, 1e-12, 1.0):
        assert_conforms(module, FRAME, undecided=0.05, edge=True, target=1, threshold=extreme)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_one_output_is_a_number_where_a_range_is_wanted(dtype):
    module = build(1, dtype=dtype)
    own = outputs_of(module, FRAME)[:, 0]
    for wanted in ((0.0, None), (None, -0.5), (-1.0, 1.0), (own[4], own[4])):
        found, rows = assert_conforms(module, FRAME, undecided=0.05, edge=True, target=wanted)
        assert (found.predict(rows) == outputs_of(module, rows)[:, 0]).all()
        assert found.scale == "lead"
    with pytest.raises(InvalidTarget):
        parse_model(build(3), reference=FRAME, target=(0.0, 1.0))


def test_a_module_that_is_only_asked_means_the_same():
    wins = parse_model(build(3), reference=FRAME, target=2)
    asked = parse_model(Wrapped(build(3)).eval(), reference=FRAME, target=2)
    assert asked.score is None
    assert (asked.evaluate(FRAME) == wins.evaluate(FRAME)).all()
    assert (asked.predict(FRAME) == wins.predict(FRAME)).all()
    number = parse_model(Wrapped(build(1)).eval(), reference=FRAME, target=(None, 0.5))
    assert number.score is None
    assert (number.predict(FRAME) == outputs_of(build(1), FRAME)[:, 0]).all()
    bent = nn.Sequential(nn.Linear(6, 1), nn.Sigmoid()).eval()
    share = parse_model(bent, reference=FRAME, target=(0.4, 0.6))
    assert share.score is None
    assert (share.predict(FRAME) == outputs_of(bent, FRAME)[:, 0]).all()


def test_slips_are_told():
    with pytest.raises(InvalidArgument, match="scale='decision'"):
        parse_model(build(3), reference=FRAME, scale="decision")
    words = FRAME.assign(a="x")
    with pytest.raises(UnsupportedModel, match="column 'a' holds categories"):
        parse_model(Wrapped(build(3)).eval(), reference=words)
    with pytest.raises(Exception, match="Columns with missing values here: 'b'"):
        parse_model(build(3), reference=FRAME.assign(b=[np.nan, *FRAME["b"][1:]]))
