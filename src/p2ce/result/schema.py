"""Build the JSON schema of results. Run as a module, write the schema to its file."""

import json
from pathlib import Path
from typing import Any

import msgspec

from p2ce.result.explanation import StoredExplanation
from p2ce.result.explanations import StoredExplanations
from p2ce.result.relaxations import StoredRelaxations

FILE = Path(__file__).parent / "explanation.schema.json"


def json_schema() -> dict[str, Any]:
    """Build the schema of `to_dict` of `Explanation`, `Explanations` and `Relaxations` (draft 2020-12).

    >>> [one["$ref"] for one in json_schema()["anyOf"]]
    ['#/$defs/StoredExplanation', '#/$defs/StoredExplanations', '#/$defs/StoredRelaxations']
    """
    checked: dict[str, Any] = {}  # the types that are checked by hand, by name

    def refer(kind: Any) -> dict[str, Any]:
        checked[kind.__name__] = kind._schema
        return {"$ref": f"#/$defs/{kind.__name__}"}

    roots, known = msgspec.json.schema_components(
        (StoredExplanation, StoredExplanations, StoredRelaxations), schema_hook=refer
    )
    for part in known.values():
        for name in [name for name in part.get("properties", ()) if name.startswith("_")]:
            del part["properties"][name]  # private fields are not written
        if "description" in part:  # the first paragraph of the docstring, without its examples
            part["description"] = " ".join(part["description"].split("\n\n")[0].split())
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Explanations of p2ce",
        "anyOf": list(roots),
        "$defs": dict(sorted((known | checked).items())),
    }


def result_schema_text() -> str:
    """Return the schema as the text of its file."""
    return json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(result_schema_text(), encoding="utf-8")
