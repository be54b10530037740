"""Write small ONNX files by hand, since the package that writes them is not needed for anything else."""

import struct

FLOAT, INT64, STRING = 1, 7, 8


def varint(number: int) -> bytes:
    found = bytearray()
    while True:
        found.append((number & 0x7F) | (0x80 if number > 0x7F else 0))
        number >>= 7
        if not number:
            return bytes(found)


def whole(field: int, number: int) -> bytes:
    return varint(field << 3) + varint(number)


def part(field: int, content: "bytes | str") -> bytes:
    data = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(data)) + data


def floats(name: str, values: list[float]) -> bytes:
    packed = b"".join(struct.pack("<f", value) for value in values)
    return part(5, part(1, name) + part(7, packed) + whole(20, 6))


def integers(name: str, values: list[int]) -> bytes:
    return part(5, part(1, name) + b"".join(whole(8, value) for value in values) + whole(20, 7))


def integer(name: str, value: int) -> bytes:
    return part(5, part(1, name) + whole(3, value) + whole(20, 2))


def text(name: str, value: str) -> bytes:
    return part(5, part(1, name) + part(4, value) + whole(20, 3))


def texts(name: str, values: list[str]) -> bytes:
    return part(5, part(1, name) + b"".join(part(9, value) for value in values) + whole(20, 8))


def node(
    kind: str, inputs: list[str], outputs: list[str], attributes: bytes = b"", domain: str = ""
) -> bytes:
    ends = b"".join(part(1, name) for name in inputs) + b"".join(part(2, name) for name in outputs)
    return part(1, ends + part(4, kind) + attributes + (part(7, domain) if domain else b""))


def value(name: str, kind: int, width: "int | None") -> bytes:
    shape = part(1, part(2, "n")) + (b"" if width is None else part(1, whole(1, width)))
    return part(1, name) + part(2, part(1, whole(1, kind) + part(2, shape)))


def model(nodes: bytes, inputs: list[bytes], outputs: list[bytes]) -> bytes:
    graph = nodes + part(2, "graph") + b"".join(part(11, one) for one in inputs)
    graph += b"".join(part(12, one) for one in outputs)
    opsets = part(8, part(1, "") + whole(2, 13)) + part(8, part(1, "ai.onnx.ml") + whole(2, 2))
    return whole(1, 7) + part(7, graph) + opsets


def logistic(
    weights: list[float], start: float, *, columns: "list[str] | None" = None, label: bool = True
) -> bytes:
    """Write a logistic regression: of one tensor, or of one input per column; with the label, or without."""
    nodes = b""
    source = "rows"
    if columns is not None:
        nodes += node("Concat", columns, ["joined"], integer("axis", 1))
        source = "joined"
    both = [-weight for weight in weights] + weights
    attributes = floats("coefficients", both) + floats("intercepts", [-start, start])
    attributes += integers("classlabels_ints", [0, 1]) + text("post_transform", "SOFTMAX")
    nodes += node("LinearClassifier", [source], ["label", "probabilities"], attributes, "ai.onnx.ml")
    inputs = (
        [value("rows", FLOAT, len(weights))]
        if columns is None
        else [value(name, FLOAT, 1) for name in columns]
    )
    outputs = [value("probabilities", FLOAT, 2)]
    return model(nodes, inputs, [value("label", INT64, None), *outputs] if label else outputs)


def score(weights: list[float], start: float) -> bytes:
    """Write a linear score of one tensor."""
    attributes = floats("coefficients", weights) + floats("intercepts", [start])
    nodes = node("LinearRegressor", ["rows"], ["score"], attributes, "ai.onnx.ml")
    return model(nodes, [value("rows", FLOAT, len(weights))], [value("score", FLOAT, 1)])


def strict_encoder() -> bytes:
    """Write a model that fails on a category which it does not know."""
    attributes = texts("cats_strings", ["own", "rent"]) + integer("zeros", 0)
    nodes = node("OneHotEncoder", ["Housing"], ["encoded"], attributes, "ai.onnx.ml")
    nodes += node("Mul", ["encoded", "Income"], ["score"])
    inputs = [value("Housing", STRING, 1), value("Income", FLOAT, 1)]
    return model(nodes, inputs, [value("score", FLOAT, None)])


def weights_elsewhere(path: str) -> bytes:
    """Write a linear score whose four weights are in another file."""
    place = part(13, part(1, "location") + part(2, path))
    weights = whole(1, 4) + whole(1, 1) + whole(2, FLOAT) + part(8, "weights") + place + whole(14, 1)
    nodes = node("MatMul", ["rows", "weights"], ["score"]) + part(5, weights)
    return model(nodes, [value("rows", FLOAT, 4)], [value("score", FLOAT, 1)])
