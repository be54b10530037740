"""Describe a portfolio run: its inputs, its code and its results, the content of manifest.json."""

import datetime
import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import Meta

from p2ce.base.limits import Limits
from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument
from p2ce.result.certificate import Status
from p2ce.result.json_data import to_record
from p2ce.result.problem_record import ProblemRecord
from p2ce.tables.json_values import Count, Number, plain_fields, to_plain

# The files that determine explanations and their texts. Kernels are compiled from them.
ENDINGS = (".py", ".jinja", ".toml", ".json")
FORMAT: Final = "p2ce.portfolio/1"
SHA256: TypeAlias = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
ALWAYS_HASHED = ("model", "policy", "reference")
# The files in the folder of a run.
MANIFEST, TIMINGS, JOURNAL, EXPLAINER = "manifest.json", "timings.json", "journal.jsonl", "explainer.p2ce"
MARK = ".p2ce-run"  # shows a worker that it sees this folder, and that the run is still active
PEOPLE, OPTIONS = "people", "options"
OTHER_FOLDER = "Choose another folder, or remove this one."
# The names of the hashed inputs in messages.
HASHED = {
    "model": "the model",
    "model_file": "the file of the model",
    "reference": "the reference",
    "policy": "the policy",
    "explainer": "the explainer (its model, detector, objectives or settings), or a version of a library,",
    "input": "the people",
}


@cache
def code_hash() -> str:
    """Return the SHA-256 of all sources of the installed package."""
    package = Path(__file__).parents[2]
    digest = hashlib.sha256()
    files = {
        path.relative_to(package).as_posix(): path for path in package.rglob("*") if path.suffix in ENDINGS
    }
    for name in sorted(files):
        digest.update(name.encode() + b"\0" + files[name].read_bytes() + b"\0")
    return digest.hexdigest()


def part_name(number: int) -> str:
    """Return the file name of a shard, the same in both folders.

    >>> part_name(42)
    'part-00042.parquet'
    """
    return f"part-{number:05d}.parquet"


def to_json(record: object, *, indent: int | None = None) -> str:
    """Write a record as JSON, always with the same text. The only objects in it are dates."""
    write_date = datetime.date.isoformat
    return json.dumps(record, indent=indent, allow_nan=False, ensure_ascii=False, default=write_date)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """Everything that the results of a run depend on."""

    package: str  # the version of p2ce
    code: str  # SHA-256 of its sources
    hashes: dict[str, str]  # SHA-256 of "model", "policy", "reference", "explainer", "input", "model_file"
    id_column: str | None = None
    keep: tuple[str, ...] = ()
    time_limit: Number | None = None
    max_calls: Count | None = None
    max_rows: Count | None = None
    as_of: datetime.date | None = None  # the date that the explanations state

    @property
    def hash(self) -> str:
        """The SHA-256 that identifies the tasks of this request."""
        return hashlib.sha256(to_json(asdict(self)).encode()).hexdigest()

    def differences(self, other: "RunRequest") -> str:
        """Write how another request differs; an empty text if they are the same.

        >>> one = RunRequest(package="1", code="a", hashes={"model": "m", "input": "i"})
        >>> other = RunRequest(package="1", code="a", hashes={"model": "n", "input": "i"}, keep=("id",))
        >>> one.differences(other)
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
            changed = [name for name in changed if name != "explainer"]  # it contains them
        found += [f"{HASHED[name]} {'have' if name == 'input' else 'has'} changed" for name in changed]
        for name in ("id_column", "keep", "time_limit", "max_calls", "max_rows", "as_of"):
            now, before = (to_plain(getattr(one, name)) for one in (self, other))
            if now != before:
                found.append(f"{name} was {echoed(before)} and is {echoed(now)}")
        return "; ".join(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardEntry:
    """A finished shard, as the manifest lists it."""

    number: Count
    where: str
    rows: Count
    options: Count
    statuses: dict[str, Count]
    people_sha256: SHA256
    options_sha256: SHA256
    contradiction: bool = False  # the model contradicted its parsed scores on one of its people

    def __post_init__(self) -> None:
        """Reject counts that do not add up."""
        if unknown := [name for name in self.statuses if name not in set(Status)]:
            raise InvalidArgument(f"{echoed(unknown[0])} is not a status")
        if sum(self.statuses.values()) != self.rows:
            raise InvalidArgument(f"shard {self.number} has {self.rows:,} rows, but not as many statuses")


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The content of manifest.json. Runs of the same request write the same bytes."""

    format: Literal["p2ce.portfolio/1"] = FORMAT
    package: str
    code: str
    hashes: dict[str, str]
    id_column: str | None = None
    keep: tuple[str, ...] = ()
    time_limit: Number | None = None
    max_calls: Count | None = None
    max_rows: Count | None = None
    as_of: datetime.date | None = None
    people: Count
    options: Count
    statuses: dict[str, Count]
    objectives: tuple[str, ...]
    problem: ProblemRecord  # shared by all people
    shards: tuple[ShardEntry, ...]

    def __post_init__(self) -> None:
        """Reject counts that do not add up, and a run without shards: each has at least one."""
        if [entry.number for entry in self.shards] != list(range(max(1, len(self.shards)))):
            raise InvalidArgument("shards must be numbered 0, 1, …, and there must be at least one")
        if (self.people, self.options, self.statuses) != _summed(self.shards):
            raise InvalidArgument("people, options and statuses must be the sums over the shards")
        if missing := [name for name in ALWAYS_HASHED if name not in self.hashes]:
            raise InvalidArgument(f"hashes lacks {echoed(missing[0])}")
        if any(self.problem.hashes.get(name) != self.hashes[name] for name in ALWAYS_HASHED):
            raise InvalidArgument("problem belongs to another model, policy or reference")

    @property
    def request(self) -> RunRequest:
        """The request of the run."""
        return RunRequest(**{one.name: getattr(self, one.name) for one in fields(RunRequest)})

    def to_json(self) -> str:
        """Return the text of the file."""
        return to_json(plain_fields(self), indent=1) + "\n"

    @classmethod
    def from_dict(cls, data: Any, who: str, limits: Limits) -> "Manifest":
        """Check untrusted data, and build the record."""
        return to_record(data, cls, who, limits, form=FORMAT, todo=OTHER_FOLDER)


def manifest_of(
    request: RunRequest, shards: Iterable[ShardEntry], *, objectives: Iterable[str], problem: ProblemRecord
) -> Manifest:
    """Build the manifest from the shards of a run."""
    ordered = tuple(sorted(shards, key=lambda entry: entry.number))
    people, options, statuses = _summed(ordered)
    return Manifest(
        **{one.name: getattr(request, one.name) for one in fields(RunRequest)},
        people=people,
        options=options,
        statuses=statuses,
        objectives=tuple(objectives),
        problem=problem,
        shards=ordered,
    )


def _summed(shards: Iterable[ShardEntry]) -> tuple[int, int, dict[str, int]]:
    """Count the people, the options, and the people with each status."""
    people = options = 0
    statuses: Counter[str] = Counter()
    for entry in shards:
        people, options = people + entry.rows, options + entry.options
        statuses.update(entry.statuses)
    return people, options, dict(sorted(statuses.items()))
