"""Drive Debian's Chromium over a pipe, by the DevTools protocol: one process for many pages and widths."""

import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
# Without a sandbox, which containers rarely allow: the pages are our own, and load nothing.
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--mute-audio")
# Chromium takes commands from descriptor 3 and results on 4.
LAUNCH = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
PHONE = 640  # narrower screens are those of phones
PATIENCE = 120.0  # seconds
A4 = 680  # CSS pixels between the margins of 15 mm


def find_browser() -> str:
    """Return the path of Chromium; without one skip the test, or fail it in CI."""
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is None:
        reason = f"none of {', '.join(PROGRAMS)} is installed"
        if os.environ.get("CI"):
            pytest.fail(f"{reason}: CI renders the pages")
        pytest.skip(reason)
    return found


class Browser:
    """One tab of a browser; `open` loads a page, `evaluate` runs a script in it."""

    def __init__(self, program: str, folder: Path) -> None:
        (commands, self._commands), (self._replies, results) = os.pipe(), os.pipe()
        # Out of the way of 3 and 4.
        theirs = [fcntl.fcntl(one, fcntl.F_DUPFD, 10) for one in (commands, results)]
        command = [program, *FLAGS, "--remote-debugging-pipe", f"--user-data-dir={folder / 'profile'}"]
        self._process = subprocess.Popen(
            [sys.executable, "-ISc", LAUNCH, *map(str, theirs), *command],
            pass_fds=theirs,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for one in (commands, results, *theirs):
            os.close(one)
        self._folder, self._received, self._number = folder, b"", 0
        self._session = ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._commands)  # which ends it
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._replies)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol, and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while (explanation := self._next()).get("id") != self._number:
            pass  # an event
        assert "error" not in explanation, explanation["error"]
        result: dict[str, Any] = explanation["result"]
        return result

    def open(self, page: str) -> None:
        """Load a page from a file, as a reader does."""
        path = self._folder / "page.html"
        path.write_text(page, encoding="utf-8")
        self.call("Page.navigate", url=path.as_uri())
        self.evaluate("new Promise((go) => document.readyState === 'complete' ? go() : (onload = go)).then()")

    def lay_out(self, width: int, *, paper: bool = False) -> None:
        """Lay the page out on a screen, or on paper, of this width in CSS pixels."""
        self.call("Emulation.setEmulatedMedia", media="print" if paper else "screen")
        screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < PHONE}
        self.call("Emulation.setDeviceMetricsOverride", **screen)

    def evaluate(self, script: str) -> Any:
        """Return what a script gives; the policy of the page does not bind it."""
        explanation = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in explanation, explanation["exceptionDetails"]
        return explanation["result"].get("value")

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._received:
            ready, _, _ = select.select([self._replies], [], [], PATIENCE)
            more = os.read(self._replies, 1 << 20) if ready else b""
            assert more, "Chromium ended, or does not explanation"
            self._received += more
        message, _, self._received = self._received.partition(b"\0")
        parsed: dict[str, Any] = json.loads(message)
        return parsed
