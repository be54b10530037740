"""Check the reading of PyTorch modules."""

import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from p2ce.decisions.certify import certify
from p2ce.decisions.model_adapter import ModelAdapter, Request
from p2ce.errors import InvalidReference, InvalidTarget, UnsupportedModel
from p2ce.grid.base_grid import BaseGrid
from p2ce.grid.placement import place
from p2ce.models import black_box
from p2ce.models.torch import family as torch_network
from p2ce.scores.external import ACCEPT, REJECT, UNDECIDED, Boxes, placed_on

torch = pytest.importorskip("torch")
nn = torch.nn
COLUMNS = list("abcdef")


def reference(rows: int = 300, scale: float = 1.0) -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(0).normal(0.0, scale, (rows, 6)), columns=COLUMNS)


def normalisation(width: int) -> "nn.BatchNorm1d":
    """Make a normalisation that has seen data."""
    made = nn.BatchNorm1d(width)
    with torch.no_grad():
        made.running_mean.normal_()
        made.running_var.uniform_(0.1, 3.0)
        made.weight.normal_()
        made.bias.normal_()
    return made


BUILDERS = {
    "one logit": lambda: [
        nn.Linear(6, 20),
        nn.ReLU(),
        nn.Dropout(0.3),
        nn.Linear(20, 9),
        nn.Tanh(),
        nn.Linear(9, 1),
    ],
    "two logits": lambda: [nn.Linear(6, 20), nn.LeakyReLU(0.2), nn.Identity(), nn.Linear(20, 2)],
    "no hidden layer": lambda: [nn.Linear(6, 2)],
    "nested": lambda: [nn.Sequential(nn.Linear(6, 8), nn.ReLU(inplace=True)), nn.Sequential(nn.Linear(8, 1))],
    "normalised": lambda: [
        normalisation(6),
        nn.Linear(6, 20),
        normalisation(20),
        nn.ReLU(),
        nn.Linear(20, 10, bias=False),
        normalisation(10),
        nn.Sigmoid(),
        normalisation(10),
        nn.Linear(10, 2),
    ],
    "normalised twice": lambda: [
        nn.Linear(6, 8),
        normalisation(8),
        normalisation(8),
        nn.ReLU(),
        nn.BatchNorm1d(8, affine=False),
        nn.Tanh(),
        nn.ReLU(),
        nn.Linear(8, 1),
        normalisation(1),
    ],
    "linear on linear": lambda: [nn.Linear(6, 5), nn.Linear(5, 5), nn.ReLU(), nn.Linear(5, 1)],
    "probability": lambda: [nn.Flatten(), nn.Linear(6, 9), nn.Tanh(), nn.Linear(9, 1), nn.Sigmoid()],
    "softmax": lambda: [nn.Linear(6, 9), nn.Sigmoid(), nn.Linear(9, 2), nn.Softmax(dim=1)],
    "log softmax": lambda: [
        nn.Linear(6, 9),
        nn.ReLU(),
        nn.Linear(9, 2),
        nn.LogSoftmax(dim=-1),
        nn.Identity(),
    ],
}
DTYPES = [torch.float32, torch.float64]


def build(name: str, dtype: "torch.dtype" = torch.float32, factor: float = 1.0) -> "nn.Sequential":
    torch.manual_seed(1)
    module = nn.Sequential(*BUILDERS[name]()).to(dtype).eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter *= factor
    return module


def request_for(frame: pd.DataFrame | None = None, *, target=1, threshold=None) -> Request:
    frame = reference() if frame is None else frame
    return Request(
        reference=frame,
        target=target,
        threshold=threshold,
        reach=np.ones(frame.shape[1]),
        parse=lambda *_: None,
    )


def read(module, frame: pd.DataFrame | None = None, *, target=1, threshold=None) -> ModelAdapter:
    request = request_for(frame, target=target, threshold=threshold)
    return certify(torch_network.parse(module, request), request)


def ask(module, frame: pd.DataFrame | None = None, *, target=1, threshold=0.5) -> ModelAdapter:
    return black_box.adapt_module(module, request_for(frame, target=target, threshold=threshold))


def plain_probability(module, rows: np.ndarray, target: int) -> np.ndarray:
    """Compute the probability the obvious way, in float64."""
    with torch.no_grad():
        returned = copy.deepcopy(module).double()(torch.tensor(rows)).numpy()
    last = [part for part in module.modules() if not isinstance(part, nn.Identity | nn.Sequential)][-1]
    if isinstance(last, nn.LogSoftmax):
        returned = np.exp(returned)
    elif not isinstance(last, nn.Sigmoid | nn.Softmax):
        if returned.shape[1] == 1:
            returned = 1.0 / (1.0 + np.exp(-returned))
        else:
            returned = np.exp(returned) / np.exp(returned).sum(axis=1, keepdims=True)
    second = returned[:, -1]
    return second if target == 1 else 1.0 - second


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", BUILDERS)
def test_the_reading_reports_the_modules_probability(name, dtype):
    module = build(name, dtype)
    rows = reference(500).to_numpy().astype(np.float32).astype(np.float64)
    frame = pd.DataFrame(rows, columns=COLUMNS)
    for target in (0, 1):
        found = read(module, target=target)
        answers = found.evaluate(frame)
        close = 1e-5 if dtype == torch.float32 else 1e-12
        assert np.abs(answers - plain_probability(module, rows, target)).max() < close
        assert np.abs(found.report(found.score.score_rows(rows)) - answers).max() < close
        assert found.classes == (0, 1)
        assert found.tolerance < (1e-2 if dtype == torch.float32 else 1e-8)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", BUILDERS)
def test_no_verdict_contradicts_the_module_even_at_the_threshold(name, dtype):
    rng = np.random.default_rng(2)
    frame = reference(scale=2.0)
    rows = frame.to_numpy()
    for factor in (0.5, 3.0):
        module = build(name, dtype, factor)
        for target in (0, 1):
            answers = read(module, target=target).evaluate(frame)
            asked = rng.choice(answers, 2)
            asked = np.concatenate([asked, np.nextafter(asked, 1.0), np.nextafter(asked, 0.0), [0.0, 1.0]])
            for threshold in asked:
                score = read(module, target=target, threshold=float(threshold)).score
                said = score.evaluate_rows(rows).verdict
                accepted = answers >= threshold
                assert accepted[said == ACCEPT].all()
                assert not accepted[said == REJECT].any()
                if 0.01 < threshold < 0.99:
                    assert (said == UNDECIDED).mean() < 0.1


@pytest.mark.parametrize("name", ["one logit", "two logits", "normalised", "probability"])
def test_grids_of_float32_modules_are_judged_and_bounded(name):
    module = build(name, factor=2.0)
    frame = reference()
    found = read(module, frame)
    answers = found.evaluate(frame)
    threshold = float(np.quantile(answers, 0.9))
    found = read(module, frame, threshold=threshold)
    crowd = frame.to_numpy()[answers < threshold][:10]
    grid = BaseGrid.from_candidates(
        {column: np.linspace(-2.0, 2.0, 9) + 0.1 for column in COLUMNS[:5]}, columns=COLUMNS
    )
    placement = place(grid, crowd)
    laid = found.score.prepare(placed_on(grid, placement, crowd))
    rng = np.random.default_rng(3)
    settled = 0
    for _ in range(80):
        who = int(rng.integers(0, len(crowd)))
        low = rng.integers(0, placement.count[who]).astype(np.int32)
        high = np.minimum(low + rng.integers(0, 3, 5), placement.count[who] - 1).astype(np.int32)
        points = rng.integers(low, high + 1, (100, 5)).astype(np.int32)
        points[0], points[1] = low, high
        rows = np.repeat(crowd[[who]], len(points), axis=0)
        rows[:, grid.columns] = placement.values[who, np.arange(5), points]
        accepted = found.evaluate(pd.DataFrame(rows, columns=COLUMNS)) >= threshold
        said = laid.evaluate(np.full(len(points), who), points).verdict
        assert accepted[said == ACCEPT].all()
        assert not accepted[said == REJECT].any()
        box = Boxes(low[None], high[None], np.zeros((1, 5), dtype=bool), np.array([99]))
        if laid.infeasible(np.array([who]), box)[0]:
            settled += 1
            assert not accepted.any()
        # The best cell sets the threshold of a score that must not be called hopeless.
        best = float(found.score.score_rows(rows).max())
        exact = replace(laid, score=replace(found.score, accept_from=best, reject_below=best))
        assert not exact.infeasible(np.array([who]), box)[0]
    assert settled >= 5


def test_the_module_is_left_as_it_was():
    module = build("normalised")
    before = copy.deepcopy(module.state_dict())
    found = read(module)
    found.evaluate(reference())
    assert not any(part.training for part in module.modules())
    assert all(parameter.grad is None and parameter.requires_grad for parameter in module.parameters())
    assert list(before) == list(module.state_dict())
    assert all(torch.equal(before[key], value) for key, value in module.state_dict().items())
    with torch.no_grad():
        module[1].weight += 1.0
    assert not np.array_equal(read(module).score.layers[0].weights, found.score.layers[0].weights)


def test_rows_out_of_reach_of_float32_leave_a_doubt():
    module = build("one logit")
    rows = reference(5).to_numpy().copy()
    rows[:, 0] = [1e39, -1e39, 1e38, 1e30, 1e25]
    assert (read(module).score.evaluate_rows(rows).verdict == UNDECIDED).all()


def test_a_normalisation_that_switches_columns_off_is_read():
    module = build("normalised twice")
    with torch.no_grad():
        module[1].weight[::2] = 0.0
    found = read(module)
    assert len(found.score.layers) > len(read(build("normalised twice")).score.layers)
    frame = reference()
    assert np.abs(found.report(found.score.score_rows(frame.to_numpy())) - found.evaluate(frame)).max() < 1e-5


def test_lower_matrix_precision_is_noticed():
    module = build("one logit")
    torch.set_float32_matmul_precision("medium")
    try:
        unit = read(module).score.unit
    finally:
        torch.set_float32_matmul_precision("highest")
    assert unit == 2.0**-8
    matmul = getattr(torch.backends.mkldnn, "matmul", None)
    if hasattr(matmul, "fp32_precision"):
        matmul.fp32_precision = "bf16"
        try:
            assert read(module).score.unit == 2.0**-8
        finally:
            matmul.fp32_precision = "ieee"
    assert read(module).score.unit == 2.0**-24


class Own(nn.Sequential):
    """A Sequential that does something else."""

    def forward(self, rows):
        return -super().forward(rows)


class Gated(nn.Module):
    """A module of which only the answers can be seen."""

    def __init__(self, outputs: int):
        super().__init__()
        self.inner = nn.Linear(6, max(outputs, 1))
        self.outputs = outputs

    def forward(self, rows):
        made = self.inner(rows) * torch.sigmoid(rows[:, :1])
        return made[:, 0] if self.outputs == 0 else made


def test_modules_are_told_apart():
    assert torch_network.recognises(build("nested"))
    assert torch_network.recognises_module(build("nested"))
    for other in (Own(nn.Linear(6, 1)), Gated(1), nn.Linear(6, 1)):
        assert not torch_network.recognises(other)
        assert torch_network.recognises_module(other)
    assert not torch_network.recognises_module(object())
    patched = build("nested")
    patched.forward = lambda rows: rows
    assert not torch_network.recognises(patched)


@pytest.mark.parametrize("outputs", [0, 1, 2, 4])
def test_any_module_can_be_asked(outputs):
    torch.manual_seed(0)
    module = Gated(outputs).eval()
    frame = reference()
    count = max(2, outputs)
    total = np.zeros(len(frame))
    for target in range(count):
        found = ask(module, frame, target=target)
        assert found.score is None
        assert found.classes == tuple(range(count))
        total += found.evaluate(frame[frame.columns[::-1]])
    assert np.abs(total - 1.0).max() < 1e-12
    with pytest.raises(InvalidTarget):
        ask(module, frame, target=count)
    with pytest.raises(UnsupportedModel, match=r"\.eval\(\)"):
        ask(module.train(), frame)


def test_a_module_that_returns_no_logits_is_refused():
    class Pair(Gated):
        def forward(self, rows):
            return rows, rows

    class Whole(Gated):
        def forward(self, rows):
            return rows.sum()

    with pytest.raises(UnsupportedModel, match="tuple"):
        ask(Pair(1).eval())
    with pytest.raises(UnsupportedModel, match="shape"):
        ask(Whole(1).eval())


def hooked() -> "nn.Sequential":
    module = build("one logit")
    module[1].register_forward_hook(lambda *_: None)
    return module


def parametrized() -> "nn.Sequential":
    module = build("one logit")
    nn.utils.parametrizations.weight_norm(module[0])
    return module.eval()


REFUSED_MODULES = {
    "training mode": (lambda: build("one logit").train(), r"\.eval\(\)"),
    "one part trains": (lambda: (lambda m: (m[2].train(), m)[1])(build("one logit")), r"\.eval\(\)"),
    "hooks": (hooked, "hooks"),
    "parametrized": (parametrized, "ParametrizedLinear"),
    "other layer": (lambda: nn.Sequential(nn.Linear(6, 3), nn.GELU(), nn.Linear(3, 1)).eval(), "GELU"),
    "own layer": (lambda: nn.Sequential(Own(nn.Linear(6, 1))).eval(), "forward"),
    "three probabilities": (lambda: nn.Sequential(nn.Linear(6, 3), nn.Sigmoid()).eval(), "3 outputs"),
    "two probabilities": (lambda: nn.Sequential(nn.Linear(6, 2), nn.Sigmoid()).eval(), "2 outputs"),
    "bent end": (lambda: nn.Sequential(nn.Linear(6, 1), nn.ReLU()).eval(), "ReLU"),
    "softmax over one": (lambda: nn.Sequential(nn.Linear(6, 1), nn.Softmax(dim=1)).eval(), "1 outputs"),
    "softmax over rows": (lambda: nn.Sequential(nn.Linear(6, 2), nn.Softmax(dim=0)).eval(), "dim=1"),
    "softmax inside": (
        lambda: nn.Sequential(nn.Linear(6, 2), nn.Softmax(dim=1), nn.Linear(2, 1)).eval(),
        "last layer",
    ),
    "begins bent": (lambda: nn.Sequential(nn.ReLU(), nn.Linear(6, 1)).eval(), "begins with ReLU"),
    "empty": (lambda: nn.Sequential().eval(), "none"),
    "half": (lambda: build("one logit").half(), "float16"),
    "mixed": (lambda: nn.Sequential(nn.Linear(6, 2), nn.Linear(2, 1).double()).eval(), "float32, float64"),
    "batch statistics": (
        lambda: nn.Sequential(nn.BatchNorm1d(6, track_running_stats=False), nn.Linear(6, 1)).eval(),
        "statistics",
    ),
    "slope": (lambda: nn.Sequential(nn.Linear(6, 2), nn.LeakyReLU(-1.0), nn.Linear(2, 1)).eval(), "slope -1"),
}


@pytest.mark.parametrize("name", REFUSED_MODULES)
def test_what_cannot_be_read_is_refused(name):
    make, words = REFUSED_MODULES[name]
    with pytest.raises(UnsupportedModel, match=words):
        read(make())


def test_columns_target_and_weights_are_checked():
    with pytest.raises(InvalidReference, match="6 unnamed columns"):
        read(build("one logit"), reference()[COLUMNS[:4]])
    with pytest.raises(InvalidTarget):
        read(build("one logit"), target=2)
    module = build("one logit")
    with torch.no_grad():
        module[0].weight[0, 0] = float("nan")
    with pytest.raises(UnsupportedModel, match="finite"):
        read(module)
