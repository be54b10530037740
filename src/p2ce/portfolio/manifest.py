"""Hold what a run over a portfolio was about and what it wrote: the content of manifest.json."""

import datetime
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final, Literal

from p2ce.limits import DEFAULT
from p2ce.result.json_data import to_record
from p2ce.tables.json_values import Count, Number, to_plain
from p2ce.visible import echoed

FORMAT: Final = "p2ce.portfolio/1"
# What lies in the folder of a run.
MANIFEST, TIMINGS, JOURNAL, EXPLAINER = "manifest.json", "timings.json", "journal.jsonl", "explainer.p2ce"
MARK = ".p2ce-run"  # by which a worker knows that it sees this folder, and that its run goes on
PEOPLE, OPTIONS = "people", "options"
# What the hashes of a request are of, as messages name it.
HASHED = {
    "model": "the model",
    "model_file": "the file of the model",
    "reference": "the reference",
    "policy": "the policy",
    "explainer": "the explainer (its model, detector, objectives or settings), or a version of a library,",
    "input": "the people",
}


def part_name(number: int) -> str:
    """Name the file of a shard, in either folder.

    >>> part_name(42)
    'part-00042.parquet'
    """
    return f"part-{number:05d}.parquet"


def to_json(record: object, *, indent: int | None = None) -> str:
    """Write a record as JSON, the same text each time; the only objects in it are dates."""
    write_date = datetime.date.isoformat
    return json.dumps(record, indent=indent, allow_nan=False, ensure_ascii=False, default=write_date)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Everything on which the results of a run depend."""

    package: str  # the version of p2ce
    code: str  # SHA-256 of its sources
    hashes: dict[str, str]  # SHA-256 of "model", "policy", "reference", "explainer", "input", "model_file"
    index_column: str | None = None
    keep: tuple[str, ...] = ()
    time_limit: Number | None = None
    as_of: datetime.date | None = None  # the day that the explanations state

    @property
    def hash(self) -> str:
        """The SHA-256 by which tasks of this request are known."""
        return hashlib.sha256(to_json(asdict(self)).encode()).hexdigest()

    def differences(self, other: "Request") -> str:
        """Say in what another request differs; nothing if they are the same.

        >>> one = Request(package="1", code="a", hashes={"model": "m", "input": "i"})
        >>> one.differences(Request(package="1", code="a", hashes={"model": "n", "input": "i"}, keep=("id",)))
        "the model has changed; keep was ['id'] and is []"
        """
        found = []
        if self.package != other.package:
            found.append(f"the version of p2ce was {other.package} and is {self.package}")
        elif self.code != other.code:
            found.append("the code of p2ce has changed")
        changed = [
            name
            for name in HASHED
            if name in self.hashes and name in other.hashes and self.hashes[name] != other.hashes[name]
        ]
        if found or {"model", "reference", "policy"} & set(changed):
            changed = [name for name in changed if name != "explainer"]  # which is made of them
        found += [f"{HASHED[name]} {'have' if name == 'input' else 'has'} changed" for name in changed]
        for name in ("index_column", "keep", "time_limit", "as_of"):
            now, before = (to_plain(getattr(one, name)) for one in (self, other))
            if now != before:
                found.append(f"{name} was {echoed(before)} and is {echoed(now)}")
        return "; ".join(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardEntry:
    """A shard that is written, as the manifest lists it."""

    number: Count
    where: str
    rows: Count
    options: Count
    statuses: dict[str, Count]
    people_sha256: str
    options_sha256: str
    contradiction: bool = False  # the model contradicted its parsed scores on somebody of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What manifest.json holds. It is the same, byte for byte, for runs of the same request."""

    format: Literal["p2ce.portfolio/1"] = FORMAT
    package: str
    code: str
    hashes: dict[str, str]
    index_column: str | None = None
    keep: tuple[str, ...] = ()
    time_limit: Number | None = None
    as_of: datetime.date | None = None
    people: Count
    options: Count
    statuses: dict[str, Count]
    common: dict[str, Any] = field(default_factory=dict)  # what all people share
    shards: tuple[ShardEntry, ...]

    @property
    def request(self) -> Request:
        """What the run was about."""
        return Request(**{one.name: getattr(self, one.name) for one in fields(Request)})

    def to_json(self) -> str:
        """Give the text of the file."""
        return to_json(asdict(self), indent=1) + "\n"

    @classmethod
    def from_dict(cls, data: Any, who: str = MANIFEST) -> "Manifest":
        """Check data that may come from anywhere, and make the record."""
        return to_record(data, cls, who, DEFAULT, form=FORMAT)


def manifest_of(request: Request, shards: Iterable[ShardEntry], common: Mapping[str, Any]) -> Manifest:
    """Sum up the shards of a run."""
    ordered = tuple(sorted(shards, key=lambda entry: entry.number))
    return Manifest(
        **{one.name: getattr(request, one.name) for one in fields(Request)},
        people=sum(entry.rows for entry in ordered),
        options=sum(entry.options for entry in ordered),
        statuses=dict(sorted(sum((Counter(entry.statuses) for entry in ordered), Counter()).items())),
        common=dict(common),
        shards=ordered,
    )
