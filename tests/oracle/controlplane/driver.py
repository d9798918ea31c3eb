"""A DRA driver whose devices are not there: it publishes slices, and does for claims what a kubelet's driver does.

KWOK runs the pods, so that nothing asks a driver to prepare a claim. What others see of a driver are its slices, and
what it writes into the status of claims: the binding conditions that the scheduler waits for (KEP-5007), and the state
of the allocated devices (KEP-4817).
"""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING

from tests.oracle.controlplane.api import Api, Json, RejectedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Driver"]

_CLAIMS = "/apis/resource.k8s.io/v1/resourceclaims"
_SLICES = "/apis/resource.k8s.io/v1/resourceslices"
_POLL = 0.3  # seconds between two looks at the claims


class Driver:
    """A driver of a name."""

    def __init__(self, api: Api, name: str = "gpu.example.com") -> None:
        self._api = api
        self.name = name

    def publish(self, node: str, devices: Iterable[Json], *, generation: int = 1) -> Json:
        """The slice of a node, in a pool of the node's name; one that is there is replaced."""
        name = f"{node}-{self.name}"
        spec = {
            "driver": self.name,
            "nodeName": node,
            "pool": {"name": node, "generation": generation, "resourceSliceCount": 1},
            "devices": list(devices),
        }
        code, current = self._api.call("GET", f"{_SLICES}/{name}")
        if code == 200:
            code, reply = self._api.call("PUT", f"{_SLICES}/{name}", {**current, "spec": spec})
            if code >= 400:
                raise RejectedError(str(reply.get("message")))
            return reply
        kind = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice"}
        return self._api.create({**kind, "metadata": {"name": name}, "spec": spec})

    def withdraw(self, node: str) -> None:
        """Takes the slice of a node away."""
        self._api.call("DELETE", f"{_SLICES}/{node}-{self.name}")

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Looks after the claims until the block is left."""
        end = threading.Event()
        thread = threading.Thread(target=self._look, args=(end,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            end.set()
            thread.join()

    def _look(self, end: threading.Event) -> None:
        while not end.wait(_POLL):
            with contextlib.suppress(OSError):  # the API server may be gone first
                for claim in self._api.items(_CLAIMS):
                    self.prepare(claim)

    def prepare(self, claim: Json) -> bool:
        """Says that the devices of an allocated claim are ready, and meets their binding conditions.

        True if something was written; nothing is where the status has the devices already.
        """
        status = claim.get("status") or {}
        results = ((status.get("allocation") or {}).get("devices") or {}).get("results") or ()
        told = status.get("devices") or []
        known = {_key(one) for one in told}
        new = [
            self._state(one)
            for one in results
            if one["driver"] == self.name and _key(one) not in known
        ]
        if not new:
            return False
        metadata = claim["metadata"]
        path = f"/apis/resource.k8s.io/v1/namespaces/{metadata['namespace']}/resourceclaims/{metadata['name']}"
        body = {**claim, "status": {**status, "devices": [*told, *new]}}
        return self._api.call("PUT", f"{path}/status", body)[0] < 400

    def _state(self, result: Json) -> Json:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        names = ("Ready", *(result.get("bindingConditions") or ()))
        state: Json = {
            key: result[key] for key in ("driver", "pool", "device", "shareID") if key in result
        }
        state["conditions"] = [
            {
                "type": name,
                "status": "True",
                "reason": "Prepared",
                "message": "",
                "lastTransitionTime": now,
            }
            for name in names
        ]
        return state


def _key(device: Json) -> tuple[str, ...]:
    return tuple(str(device.get(key)) for key in ("driver", "pool", "device", "shareID"))
