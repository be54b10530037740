"""Answer scikit-learn's requests with a small table, as OpenML would: the library itself is untouched."""

import hashlib
import json
from email.message import Message
from http.client import HTTPResponse
from io import BytesIO
from typing import cast
from urllib.error import URLError
from urllib.request import HTTPSHandler, Request
from urllib.response import addinfourl

import pandas as pd


class Answer(addinfourl):
    """Text, with a status as a line to OpenML gives it."""

    def __init__(self, text: str, url: str, *, code: int, msg: str) -> None:
        super().__init__(BytesIO(text.encode()), Message(), url, code=code)
        self.msg = msg


class SmallOpenML(HTTPSHandler):
    """One table under one number; every other number is unknown (412), and a broken line reaches nothing."""

    def __init__(self, number: int, table: pd.DataFrame, *, target: str, broken: bool = False) -> None:
        super().__init__()
        self.broken = broken
        lines = ["@relation small"]
        features = []
        for place, (name, column) in enumerate(table.items()):
            numeric = column.dtype.kind in "iuf"
            labels = ",".join(f"'{label}'" for label in column.dropna().unique())
            lines.append(f"@attribute {name} {'numeric' if numeric else '{' + labels + '}'}")
            features.append(
                {
                    "index": str(place),
                    "name": name,
                    "data_type": "numeric" if numeric else "nominal",
                    "is_target": str(name == target).lower(),
                    "is_ignore": "false",
                    "is_row_identifier": "false",
                    "number_of_missing_values": str(column.isna().sum()),
                }
            )
        lines.append("@data")
        for row in table.itertuples(index=False):
            cells = [f"'{cell}'" if isinstance(cell, str) else "?" if pd.isna(cell) else cell for cell in row]
            lines.append(",".join(map(str, cells)))
        text = "\n".join(lines) + "\n"
        about = {
            "id": str(number),
            "name": "small",
            "version": "1",
            "status": "active",
            "format": "ARFF",
            "description": "a table for tests",
            "url": "https://www.openml.org/data/v1/download/1/small.arff",
            "file_id": "1",
            "md5_checksum": hashlib.md5(text.encode()).hexdigest(),
        }
        size = {"quality": [{"name": "NumberOfInstances", "value": str(len(table))}]}
        self.results = {
            f"/api/v1/json/data/{number}": json.dumps({"data_set_description": about}),
            f"/api/v1/json/data/features/{number}": json.dumps({"data_features": {"feature": features}}),
            f"/api/v1/json/data/qualities/{number}": json.dumps({"data_qualities": size}),
            "/data/v1/download/1/small.arff": text,
            "/data/v1/download/1": text,  # where scikit-learn 1.6 looks
        }

    def https_open(self, request: Request) -> HTTPResponse:
        if self.broken:
            raise URLError("no route to host")
        found = self.results.get(request.selector)
        code, msg = (412, "Precondition Failed") if found is None else (200, "OK")
        # All that urllib and scikit-learn read of a response.
        return cast(HTTPResponse, Answer(found or "", request.full_url, code=code, msg=msg))
