"""Register model families and detectors from outside this package, by a call or by an entry point.

A family is an object, often a module, with two functions: ``recognises`` and ``parse``. Authors import
`p2ce.extend`, which says what each must do.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal, Protocol

from p2ce.base.visible import echoed
from p2ce.errors import BrokenPlugin, InvalidArgument, P2CEError, what_happened

MODEL, DETECTOR = "model", "detector"
GROUPS = {MODEL: "p2ce.model_families", DETECTOR: "p2ce.detectors"}


class Family(Protocol):
    """A kind of model or detector, which recognises its members and parses them."""

    def recognises(self, model: Any, /) -> bool:
        """Return whether a model, or a detector, is of this family.

        It neither imports the model's library nor evaluates the model.
        """
        ...

    def parse(self, model: Any, request: Any, /) -> Any:
        """Parse a fitted model or detector, as the request states.

        A model family returns a ParsedModel, a detector family an Adapter. If the object is not supported, it
        raises UnsupportedModel or UnsupportedDetector: the object is then a black box.
        """
        ...


_registered: dict[str, list[Family]] = {MODEL: [], DETECTOR: []}


def register(family: Family, *, kind: Literal["model", "detector"] = "model") -> None:
    """Register a model family or a detector family.

    Families are tried in reverse order of registration, before the built-in ones. The registration holds for
    the current process only. Use an entry point if worker processes need the family too.

    Args:
        family: An object or a module with ``recognises(model)`` and ``parse(model, request)``.
        kind: "model" (the default) or "detector".

    >>> class Nothing:
    ...     def recognises(self, model): return False
    ...     def parse(self, model, request): raise AssertionError
    >>> family = Nothing()
    >>> register(family)
    >>> unregister(family)
    """
    if kind not in _registered:
        raise InvalidArgument(f"kind must be 'model' or 'detector'; got {echoed(kind)}.")
    _require_family(family, f"register() got {echoed(family)}", InvalidArgument)
    if family not in _registered[kind]:
        _registered[kind].insert(0, family)


def unregister(family: Family) -> None:
    """Remove a family that `register` added."""
    for families in _registered.values():
        if family in families:
            families.remove(family)


@dataclass(frozen=True, slots=True)
class External:
    """A family from outside this package. What it raises or returns by mistake names it."""

    family: Family
    name: str = field(compare=False)

    def recognises(self, model: Any, /) -> bool:
        """Ask the family."""
        with self._named("recognises", model):
            return bool(self.family.recognises(model))

    def parse(self, model: Any, request: Any, /) -> Any:
        """Have the family parse the model."""
        with self._named("parse", model):
            return self.family.parse(model, request)

    @contextmanager
    def _named(self, function: str, model: Any) -> Iterator[None]:
        try:
            yield
        except P2CEError:
            raise
        except Exception as error:
            raise BrokenPlugin(
                f"{self.name}: {function}() {what_happened(error)} for {type(model).__name__}. Correct the "
                "plug-in, or unregister it. For an unsupported object, it must raise UnsupportedModel or "
                "UnsupportedDetector."
            ) from error


def families_of(kind: str, built_in: Sequence[Family]) -> tuple[Family, ...]:
    """List all families in the order they are tried: registered, from entry points, built in."""
    registered = (External(one, f"The registered {kind} family {_called(one)}") for one in _registered[kind])
    return (*registered, *_from_entry_points(kind), *built_in)


def _called(family: object) -> str:
    """Return the name of a module, or of an object's class."""
    return getattr(family, "__name__", None) or f"{type(family).__module__}.{type(family).__qualname__}"


@cache
def _from_entry_points(kind: str) -> tuple[External, ...]:
    """Load the families that installed packages name, once."""
    found = sorted(entry_points(group=GROUPS[kind]), key=lambda point: (point.name, point.value))
    return tuple(_loaded(point) for point in found)


def _loaded(point: EntryPoint) -> External:
    package = "unknown" if point.dist is None else f"{point.dist.name} {point.dist.version}"
    name = f"The plug-in {echoed(point.name)} of package {package} ({point.group} = {point.value})"
    try:
        family: Family = point.load()
    except Exception as error:
        raise BrokenPlugin(
            f"{name} cannot be loaded: {type(error).__name__}: {error}. Update or uninstall the package."
        ) from error
    _require_family(family, name, BrokenPlugin)
    return External(family, name)


def _require_family(family: object, name: str, error: type[Exception]) -> None:
    missing = [method for method in ("recognises", "parse") if not callable(getattr(family, method, None))]
    if missing:
        raise error(f"{name}: a family needs {missing[0]}(…). See p2ce.extend for both functions.")
