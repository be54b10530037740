"""Parse PyTorch weights: tensors by name, from a file that PyTorch reads as a restricted pickle.

The reply is a line of JSON with the name, type and shape of each tensor, followed by their bytes.
"""

import io
import json
import math
from typing import Any

import numpy as np

from p2ce.errors import InvalidModel

UNNEEDED = ("matplotlib", "pandas", "sklearn")


def prepare(_: bytes) -> None:
    """Import PyTorch, and what it imports at its first load."""
    import torch

    written = io.BytesIO()
    torch.save({}, written)
    torch.load(io.BytesIO(written.getvalue()), weights_only=True)


def parse_file(content: bytes) -> bytes:
    """Read the tensors, and return them in a form that contains only numbers."""
    import torch

    state = torch.load(io.BytesIO(content), weights_only=True, map_location="cpu")
    if not isinstance(state, dict) or not all(
        isinstance(name, str) and isinstance(value, torch.Tensor) for name, value in state.items()
    ):
        raise InvalidModel(
            "It contains no weights by name. Save them with torch.save(network.state_dict(), path)."
        )
    tensors = {name: value.detach().contiguous() for name, value in state.items()}
    listing = [[name, str(one.dtype), list(one.shape)] for name, one in tensors.items()]
    parts = [one.reshape(-1).view(torch.uint8).numpy().tobytes() for one in tensors.values() if one.numel()]
    return json.dumps(listing).encode() + b"\n" + b"".join(parts)


def load_parsed(content: bytes) -> dict[str, Any]:
    """Build the tensors."""
    import torch

    header, _, numbers = content.partition(b"\n")
    kinds = {str(kind): kind for kind in vars(torch).values() if isinstance(kind, torch.dtype)}
    tensors, at = {}, 0
    for name, kind, shape in json.loads(header):
        dtype, count = kinds[kind], math.prod(shape)
        size = count * dtype.itemsize
        flat = torch.empty(count, dtype=dtype)
        flat.view(torch.uint8).numpy()[:] = np.frombuffer(numbers, np.uint8, size, at)
        tensors[name] = flat.reshape(shape)
        at += size
    return tensors
