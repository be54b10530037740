"""Train a PyTorch network that takes the raw values of the data."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from benchmarks.splits import Parts
from p2ce.base.arrays import FloatArray

EPOCHS = 60  # at most
PATIENCE = 5  # epochs without a lower loss on the validation part


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkSpec:
    """The hyperparameters of a network."""

    hidden: tuple[int, ...]  # units of each hidden layer
    learning_rate: float
    weight_decay: float
    batch: int
    balanced: bool  # both outcomes have the same weight in the loss


def fit_network(parts: Parts, spec: NetworkSpec, *, seed: int) -> nn.Sequential:
    """Train with Adam until the validation loss no longer falls. The same seed gives the same network.

    The network is in eval mode and float64. It takes raw values in the order of the columns and ends in one
    logit. The probability is at least 0.5 if the logit is at least 0, so argmax and f ≥ 0.5 agree. (The
    authors trained their network with softmax and evaluated it with independent sigmoids.)
    """
    rows = parts.train.to_numpy(float)
    center, scale = rows.mean(axis=0), rows.std(axis=0)
    # The deviation of a constant column is 0, or a rounding error of its mean.
    scale = np.where(rows.min(axis=0) == rows.max(axis=0), 1.0, scale)
    favourable = parts.train_outcome.to_numpy(float)
    weight = torch.tensor((1 - favourable.mean()) / favourable.mean() if spec.balanced else 1.0)
    loss = nn.BCEWithLogitsLoss(pos_weight=weight.float())
    with _on_one_thread(), torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)  # forked, so the caller's random numbers stay the same
        network = _layers(rows.shape[1], spec.hidden)
        _descend(
            network,
            loss,
            spec,
            train=(_tensor((rows - center) / scale), _tensor(favourable)),
            validation=(
                _tensor((parts.validation.to_numpy(float) - center) / scale),
                _tensor(parts.validation_outcome.to_numpy(float)),
            ),
        )
    return _taking_raw_values(network, center=center, scale=scale)


def logits(network: nn.Sequential, rows: FloatArray) -> FloatArray:  # (n, d) → (n,)
    """Evaluate the network in float64, its own precision."""
    with torch.no_grad():
        scores: FloatArray = network(torch.from_numpy(np.array(rows, dtype=float))).numpy()[:, 0]
    return scores


def _layers(columns: int, hidden: tuple[int, ...]) -> nn.Sequential:
    widths = (columns, *hidden)
    layers: list[nn.Module] = []
    for before, after in zip(widths, hidden, strict=False):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(widths[-1], 1))


def _descend(
    network: nn.Sequential,
    loss: nn.Module,
    spec: NetworkSpec,
    *,
    train: tuple[torch.Tensor, torch.Tensor],
    validation: tuple[torch.Tensor, torch.Tensor],
) -> None:
    """Train, and keep the weights of the epoch with the lowest validation loss."""
    optimizer = torch.optim.Adam(
        network.parameters(), lr=spec.learning_rate, weight_decay=spec.weight_decay, foreach=True
    )
    rows, outcome = train
    best, best_state, waited = np.inf, _state(network), 0
    for _ in range(EPOCHS):
        for batch in torch.randperm(len(rows)).split(spec.batch):
            optimizer.zero_grad()
            loss(network(rows[batch])[:, 0], outcome[batch]).backward()
            optimizer.step()
        with torch.no_grad():
            reached = float(loss(network(validation[0])[:, 0], validation[1]))
        if reached < best:
            best, best_state, waited = reached, _state(network), 0
        else:
            waited += 1
            if waited == PATIENCE:
                break
    network.load_state_dict(best_state)


def _state(network: nn.Sequential) -> dict[str, torch.Tensor]:
    return {name: tensor.clone() for name, tensor in network.state_dict().items()}


def _taking_raw_values(network: nn.Sequential, *, center: FloatArray, scale: FloatArray) -> nn.Sequential:
    """Fold the scaling into the first layer: W((x − m)/s) + b = (W/s)x + (b − (W/s)m)."""
    network = network.double().eval().requires_grad_(False)
    first = network[0]
    first.weight /= torch.from_numpy(scale)
    first.bias -= first.weight @ torch.from_numpy(center)
    return network


def _tensor(values: "np.ndarray[Any, Any]") -> torch.Tensor:
    return torch.from_numpy(values.astype(np.float32))  # trains twice as fast as float64


@contextmanager
def _on_one_thread() -> Iterator[None]:
    """Use one thread: its sums are the same on every machine, and small batches gain nothing from two."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
