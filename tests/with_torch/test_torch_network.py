"""PyTorch modules: what is parsed decides, reports and bounds as the module does; the rest is rejected."""

import copy
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce.engine.scores.external import UNDECIDED
from p2ce.errors import InvalidReference, InvalidTarget, ModelMismatch, UnsupportedModel
from p2ce.models.decisions.adapter import Adapter, ParseRequest
from p2ce.models.decisions.certify import certify
from p2ce.models.families.torch import family as torch_network
from p2ce.models.parse_model import parse_model
from tests.models.laws import assert_conforms
from tests.optional import needs

torch = needs("torch")
pytestmark = pytest.mark.torch
nn = torch.nn
COLUMNS = list("abcdef")
FRAME = pd.DataFrame(np.random.default_rng(0).normal(0.0, 2.0, (200, 6)), columns=COLUMNS)
DTYPES = [torch.float32, torch.float64]


class OwnReLU(nn.ReLU):
    """A layer that may look at its mode."""

    def forward(self, rows):
        return super().forward(rows) * (2.0 if self.training else 1.0)


def normalisation(width: int) -> "nn.BatchNorm1d":
    """Make a normalisation that has seen data."""
    made = nn.BatchNorm1d(width)
    with torch.no_grad():
        made.running_mean.normal_()
        made.running_var.uniform_(0.1, 3.0)
        made.weight.normal_()
        made.bias.normal_()
    return made


def layers(*widths: int) -> list:
    """Make linear layers of these widths with tanh between them."""
    made = [layer for pair in pairwise(widths) for layer in (nn.Linear(*pair), nn.Tanh())]
    return made[:-1]


BUILDERS = {
    "one logit": lambda: [nn.Linear(6, 20), nn.ReLU(), nn.Dropout(0.3), *layers(20, 9, 1)],
    "two logits": lambda: [nn.Linear(6, 20), nn.LeakyReLU(0.2), nn.Identity(), nn.Linear(20, 2)],
    "no hidden layer": lambda: layers(6, 2),
    "nested": lambda: [nn.Sequential(nn.Linear(6, 8), nn.ReLU(inplace=True)), nn.Sequential(nn.Linear(8, 1))],
    "normalised": lambda: [
        *(normalisation(6), nn.Linear(6, 20), normalisation(20), nn.ReLU(), nn.Linear(20, 10, bias=False)),
        *(normalisation(10), nn.Sigmoid(), normalisation(10), nn.Linear(10, 2)),
    ],
    "normalised twice": lambda: [
        *(nn.Linear(6, 8), normalisation(8), normalisation(8), nn.ReLU(), nn.BatchNorm1d(8, affine=False)),
        *(nn.Tanh(), nn.ReLU(), nn.Linear(8, 1), normalisation(1)),
    ],
    "linear on linear": lambda: [nn.Linear(6, 5), nn.Linear(5, 5), nn.ReLU(), nn.Linear(5, 1)],
    "probability": lambda: [nn.Flatten(), *layers(6, 9, 1), nn.Sigmoid()],
    "softmax": lambda: [*layers(6, 9, 2), nn.Softmax(dim=1)],
    "log softmax": lambda: [*layers(6, 9, 2), nn.LogSoftmax(dim=-1), nn.Identity()],
    "several": lambda: layers(6, 16, 4),
    "several, softmax": lambda: [*layers(6, 16, 4), nn.Softmax(dim=1)],
    "several, log softmax": lambda: [*layers(6, 16, 4), nn.LogSoftmax(dim=1)],
    "number": lambda: layers(6, 16, 1),
}
SEVERAL = [name for name in BUILDERS if name.startswith("several")]
TWO = [name for name in BUILDERS if name not in (*SEVERAL, "number")]


def build(name: str, dtype: "torch.dtype" = torch.float32, factor: float = 1.0) -> "nn.Sequential":
    torch.manual_seed(1)
    module = nn.Sequential(*BUILDERS[name]()).to(dtype).eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter *= factor
    return module


def outputs_of(module, rows: pd.DataFrame, dtype: "torch.dtype | None" = None) -> np.ndarray:
    dtype = next(module.parameters()).dtype if dtype is None else dtype
    with torch.inference_mode():
        return copy.deepcopy(module).to(dtype)(torch.tensor(rows.to_numpy()).to(dtype)).double().numpy()


def plain_probability(module, rows: pd.DataFrame) -> np.ndarray:
    """Compute the probability of the second class the obvious way, in float64."""
    returned = outputs_of(module, rows, torch.float64)
    last = [part for part in module.modules() if not isinstance(part, nn.Identity | nn.Sequential)][-1]
    if isinstance(last, nn.Sigmoid | nn.Softmax):
        return returned[:, -1]
    if returned.shape[1] == 1:
        return 1.0 / (1.0 + np.exp(-returned[:, 0]))
    return np.exp(returned[:, 1]) / np.exp(returned).sum(axis=1)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", TWO)
def test_one_class_of_two_reaches_a_threshold(name, dtype):
    module = build(name, dtype, 1.5)
    second = plain_probability(module, FRAME.astype(np.float32).astype(np.float64))
    for target, expected in ((0, 1.0 - second), (1, second)):
        found, _ = assert_conforms(module, FRAME, undecided=0.05, edge=True, target=target)
        close = 1e-5 if dtype == torch.float32 else 1e-12
        evaluated = found.evaluate(FRAME.astype(np.float32).astype(np.float64))
        assert np.abs(evaluated - expected).max() < close
        assert found.classes == (0, 1)
        assert found.tolerance < (1e-2 if dtype == torch.float32 else 1e-8)
        chosen = np.random.default_rng(2).choice(found.evaluate(FRAME), 2)
        for threshold in (*chosen, *np.nextafter(chosen, 1.0), 0.0, 1.0):
            assert_conforms(module, FRAME, undecided=0.1, target=target, at_least=float(threshold))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", SEVERAL)
def test_one_class_of_several_wins_or_reaches_a_probability(name, dtype):
    module = build(name, dtype, 3.0)
    for target in range(4):
        found, rows = assert_conforms(module, FRAME, undecided=0.05, edge=True, target=target)
        largest = outputs_of(module, rows).argmax(axis=1)
        assert ((found.evaluate(rows) >= 0.0) == (largest == target)).all()
        assert (found.scale, found.threshold, found.classes) == ("lead", 0.0, (0, 1, 2, 3))
        assert len(found.scores) == 3
    shares = sum(parse_model(module, reference=FRAME, target=target).predict(FRAME) for target in range(4))
    assert np.abs(shares - 1.0).max() < 1e-5
    own = parse_model(module, reference=FRAME, target=1, at_least=0.5).evaluate(FRAME)
    chosen = np.random.default_rng(2).choice(own[(own > 0.2) & (own < 0.99)], 2)
    for threshold in (0.5, *chosen, *np.nextafter(chosen, 1.0)):
        found, _ = assert_conforms(module, FRAME, target=1, at_least=float(threshold))
        assert not found.decides  # pairs of classes bound a probability
    for extreme in (0.0, 1e-300, 1e-40, 1.0):
        assert_conforms(module, FRAME, undecided=0.05, edge=True, target=1, at_least=extreme)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_one_output_is_a_number_where_a_range_is_wanted(dtype):
    module = build("number", dtype, 3.0)
    own = outputs_of(module, FRAME)[:, 0]
    for wanted in ((0.0, None), (None, -0.5), (-1.0, 1.0), (own[4], own[4])):
        found, rows = assert_conforms(module, FRAME, undecided=0.05, edge=True, target=wanted)
        assert (found.predict(rows) == outputs_of(module, rows)[:, 0]).all()
        assert found.scale == "lead"
    with pytest.raises(InvalidTarget):
        parse_model(build("several"), reference=FRAME, target=(0.0, 1.0))


class Wrapped(nn.Module):
    """Hides what it does."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, rows):
        return self.inner(rows)


@pytest.mark.parametrize(("name", "target"), [("several", 2), ("number", (None, 0.5))])
def test_a_black_box_module_means_the_same(name, target):
    parsed = parse_model(build(name), reference=FRAME, target=target)
    black_box = parse_model(Wrapped(build(name)).eval(), reference=FRAME, target=target)
    assert black_box.score is None
    assert (black_box.evaluate(FRAME) == parsed.evaluate(FRAME)).all()
    assert (black_box.predict(FRAME) == parsed.predict(FRAME)).all()


def parse(module, frame: pd.DataFrame = FRAME, target=1) -> Adapter:
    reach = np.ones(frame.shape[1])
    request = ParseRequest(reference=frame, target=target, at_least=None, reach=reach, parse=lambda *_: None)
    return certify(torch_network.parse(module, request), request)


def test_the_module_is_left_as_it_was():
    module = build("normalised")
    before = copy.deepcopy(module.state_dict())
    parse(module).evaluate(FRAME)
    assert not any(part.training for part in module.modules())
    assert all(parameter.grad is None and parameter.requires_grad for parameter in module.parameters())
    assert all(torch.equal(before[key], value) for key, value in module.state_dict().items())


def test_rows_out_of_reach_of_float32_leave_a_doubt():
    rows = FRAME.to_numpy()[:5].copy()
    rows[:, 0] = [1e39, -1e39, 1e38, 1e30, 1e25]
    assert (parse(build("one logit")).score.evaluate_rows(rows).verdict == UNDECIDED).all()


class Own(nn.Sequential):
    """A Sequential that does something else."""

    def forward(self, rows):
        return -super().forward(rows)


def test_modules_are_recognised():
    assert torch_network.recognises(build("nested"))
    for other in (Own(nn.Linear(6, 1)), Wrapped(nn.Linear(6, 1)), nn.Linear(6, 1)):
        assert not torch_network.recognises(other)
        assert torch_network.recognises_module(other)
    assert not torch_network.recognises_module(object())
    patched = build("nested")
    patched.forward = lambda rows: rows
    assert not torch_network.recognises(patched)


def changed(change) -> "nn.Sequential":
    module = build("one logit")
    change(module)
    return module


def spoil(module) -> None:
    with torch.no_grad():
        module[0].weight[0, 0] = float("nan")


UNSUPPORTED = {
    "training mode": (
        lambda: nn.Sequential(nn.Linear(6, 3), nn.Dropout(0.5), nn.Linear(3, 1)),
        r"holds Dropout.*\.eval\(\)",
    ),
    "one part trains": (
        lambda: nn.Sequential(nn.Linear(6, 3), nn.BatchNorm1d(3), nn.Linear(3, 1)),
        r"BatchNorm1d.*\.eval\(\)",
    ),
    "an own layer trains": (lambda: nn.Sequential(nn.Linear(6, 3), OwnReLU(), nn.Linear(3, 1)), "OwnReLU"),
    "a hook trains": (
        lambda: changed(lambda m: m.train()[0].register_forward_hook(lambda *_: None)),
        r"\.eval\(\)",
    ),
    "spectral norm trains": (
        lambda: nn.Sequential(nn.utils.parametrizations.spectral_norm(nn.Linear(6, 1))),
        r"ParametrizedLinear|\.eval\(\)",
    ),
    "hooks": (lambda: changed(lambda m: m[1].register_forward_hook(lambda *_: None)), "hooks"),
    "parametrized": (
        lambda: changed(lambda m: nn.utils.parametrizations.weight_norm(m[0]).eval()),
        "ParametrizedLinear",
    ),
    "weights": (lambda: changed(spoil), "finite"),
    "half": (lambda: build("one logit").half(), "float16"),
    "mixed": (lambda: [nn.Linear(6, 2), nn.Linear(2, 1).double()], "float32, float64"),
    "other layer": (lambda: [nn.Linear(6, 3), nn.GELU(), nn.Linear(3, 1)], "GELU"),
    "own layer": (lambda: [Own(nn.Linear(6, 1))], "forward"),
    "two probabilities": (lambda: [nn.Linear(6, 2), nn.Sigmoid()], "2 outputs"),
    "bent end": (lambda: [nn.Linear(6, 1), nn.ReLU()], "ReLU"),
    "softmax over one": (lambda: [nn.Linear(6, 1), nn.Softmax(dim=1)], "1 outputs"),
    "softmax over rows": (lambda: [nn.Linear(6, 2), nn.Softmax(dim=0)], "dim=1"),
    "softmax inside": (lambda: [nn.Linear(6, 2), nn.Softmax(dim=1), nn.Linear(2, 1)], "last layer"),
    "begins bent": (lambda: [nn.ReLU(), nn.Linear(6, 1)], "begins with ReLU"),
    "empty": (list, "none"),
    "batch statistics": (
        lambda: [nn.BatchNorm1d(6, track_running_stats=False), nn.Linear(6, 1)],
        "statistics",
    ),
    "slope": (lambda: [nn.Linear(6, 2), nn.LeakyReLU(-1.0), nn.Linear(2, 1)], "slope -1"),
}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_what_is_not_supported_is_rejected(name):
    make, words = UNSUPPORTED[name]
    made = make()
    with pytest.raises(UnsupportedModel, match=words):
        parse(nn.Sequential(*made).eval() if isinstance(made, list) else made)


@pytest.mark.parametrize(
    "make",
    [
        lambda: nn.Sequential(
            nn.Linear(6, 3), nn.ReLU(), nn.Sequential(nn.Linear(3, 3), nn.Tanh()), nn.Linear(3, 1)
        ),
        lambda: nn.Sequential(nn.Linear(6, 3), nn.LeakyReLU(0.1), nn.Linear(3, 2), nn.LogSoftmax(dim=1)),
        lambda: nn.Sequential(nn.Linear(6, 2), nn.Flatten(), nn.Softmax(dim=1)),
    ],
)
def test_training_mode_is_accepted_if_no_layer_depends_on_it(make):
    torch.manual_seed(3)
    module = make()
    assert module.training
    trained, evaluated = parse(module), parse(copy.deepcopy(module).eval())
    assert module.training, "the module is never changed"
    rows = FRAME.to_numpy(dtype=np.float64)
    mine, same = (one.score.evaluate_rows(rows) for one in (trained, evaluated))
    assert np.array_equal(mine.value, same.value)
    assert np.array_equal(mine.verdict, same.verdict)
    assert np.array_equal(trained.evaluate(FRAME), evaluated.evaluate(FRAME))


@pytest.mark.parametrize("between", [nn.GELU, nn.SiLU, nn.ELU, lambda: nn.LayerNorm(3), nn.Softplus])
def test_a_black_box_module_in_training_mode_is_accepted_if_no_layer_depends_on_it(between):
    module = nn.Sequential(nn.Linear(6, 3), between(), nn.Linear(3, 1))
    rows = torch.tensor(FRAME.to_numpy(dtype=np.float32))
    with torch.no_grad():
        first, again = module(rows), module.eval()(rows)
    assert torch.equal(first, again)
    module.train()
    explainer = p2ce.Explainer(module, FRAME, target=1, plausibility=None, bound=None)
    assert explainer.describe().is_black_box
    for layer in (nn.RReLU(), nn.Dropout(0.1), nn.BatchNorm1d(3)):
        refused = nn.Sequential(nn.Linear(6, 3), between(), layer, nn.Linear(3, 1))
        with pytest.raises(UnsupportedModel, match=type(layer).__name__):
            p2ce.Explainer(refused, FRAME, target=1, plausibility=None)


def test_columns_and_target_are_checked():
    with pytest.raises(InvalidReference, match="6 unnamed columns"):
        parse(build("one logit"), FRAME[COLUMNS[:4]])
    with pytest.raises(InvalidTarget):
        parse(build("one logit"), target=2)


def test_a_setting_that_rounds_more_than_when_the_module_was_parsed_is_noticed():
    module = nn.Sequential(*layers(6, 4, 1)).eval()
    found = parse_model(module, reference=FRAME)
    before = torch.get_float32_matmul_precision()
    found.evaluate(FRAME)
    torch.set_float32_matmul_precision("medium")
    try:
        with pytest.raises(ModelMismatch, match=r"now multiplies the float32 matrices .* in bfloat16"):
            found.evaluate(FRAME)
        parse_model(module, reference=FRAME).evaluate(FRAME)  # which now allows for it
    finally:
        torch.set_float32_matmul_precision(before)
    found.evaluate(FRAME)
