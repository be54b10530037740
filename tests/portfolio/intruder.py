"""Try to run code on someone else's cluster, from a separate process, and print what happened.

The addresses come on stdin as JSON, and credentials for those who have some. Whoever gets in writes a file.
"""

import asyncio
import json
import socket
import ssl
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import distributed
from distributed.core import rpc

# Who has no credentials fails, whenever it gives up; who has some may have to wait for a busy machine.
INTRUDER, OWNER = 10, 100


def plant(path: str) -> str:
    """Do what no one else should be able to."""
    Path(path).write_text("was here", encoding="utf-8")
    return "got in"


def by_client(address: str, path: str, security: Any, seconds: int) -> str:
    """Connect as a client does, and run a function on the scheduler."""
    with distributed.Client(address, timeout=seconds, security=security, set_as_default=False) as client:
        return str(client.run_on_scheduler(plant, path))


def by_message(address: str, path: str, security: Any, seconds: int) -> str:
    """Send a message to a scheduler, a worker or a nanny that makes it run a function."""

    async def send() -> str:
        arguments = {} if security is None else security.get_connection_args("worker")
        function, given = (distributed.protocol.pickle.dumps(part) for part in (plant, (path,)))
        async with rpc(address, timeout=seconds, connection_args=arguments) as remote:
            reply = await asyncio.wait_for(remote.run(function=function, args=given, kwargs={}), seconds)
        return str(reply)

    return asyncio.run(send())


def by_socket(address: str, path: str, security: Any, seconds: int) -> str:
    """Speak TLS without a certificate; the server's is not looked at."""
    host, port = address.rpartition("//")[2].split(":")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection((host, int(port)), seconds) as plain, context.wrap_socket(plain) as secured:
        greeting = secured.recv(64)
    return f"got in: {greeting!r}" if greeting else "closed"


def attempt(act: Callable[[str, str, Any, int], str], *given: Any) -> str:
    try:
        return act(*given)
    except BaseException as error:
        return f"{type(error).__name__}: {error}"


def main() -> None:
    """Try all ways with no credentials, with made-up ones, and with those that came on stdin."""
    given = json.loads(sys.stdin.read())
    path = given["path"]
    own = None if given["security"] is None else distributed.Security(**given["security"])
    held = [("own", own)] if own else [("none", None), ("other", distributed.Security.temporary())]
    seconds = OWNER if own else INTRUDER
    results = {}
    for role, address in given["addresses"].items():
        plain = address.replace("tls://", "tcp://")
        for name, security in held:
            results[f"{role}, message, {name}"] = attempt(by_message, address, path, security, seconds)
            if role == "scheduler":
                results[f"{role}, client, {name}"] = attempt(by_client, address, path, security, seconds)
        if own is None:
            results[f"{role}, plain message"] = attempt(by_message, plain, path, None, seconds)
            results[f"{role}, TLS alone"] = attempt(by_socket, address, path, None, seconds)
            if role == "scheduler":
                results[f"{role}, plain client"] = attempt(by_client, plain, path, None, seconds)
    sys.stdout.write(json.dumps(results))


if __name__ == "__main__":
    main()
