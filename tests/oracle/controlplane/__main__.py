"""`python -m tests.oracle.controlplane`: a real control plane of a release, and what is asked of it; see README.md."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from tests.oracle.controlplane import mutated, programs, recorded, words
from tests.oracle.controlplane.driver import Driver
from tests.oracle.controlplane.plane import control_plane

_COMMANDS = {
    "build": "build what is missing",
    "start": "build, start, and wait",
    "compare": "recorded questions and the examples: dradsl against the API server",
    "words": "record how values are printed in messages",
    "mutants": "edits of whole workloads: dradsl lint against the API server",
}


def main(arguments: list[str] | None = None) -> int:
    """Runs a command."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.oracle.controlplane", description=__doc__
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name, told in _COMMANDS.items():
        command = commands.add_parser(name, help=told)
        command.add_argument("--release", choices=sorted(programs.RELEASES), default="1.37")
    command = commands.choices["start"]
    command.add_argument("--nodes", type=int, default=2, help="nodes with devices (default: 2)")
    command.add_argument("--devices", type=int, default=4, help="devices of a node (default: 4)")
    command.add_argument("--gates", default="", help="as --feature-gates of the components")
    command.add_argument("--serve", action="append", default=[], metavar="GROUP/VERSION")
    command.add_argument("--keep", type=Path, help="a folder for logs and data that stays")
    command = commands.choices["compare"]
    command.add_argument(
        "--step", type=int, default=1, help="every how many-th question (default: 1)"
    )
    command.add_argument(
        "--show", type=int, default=20, help="differences that are printed of a subject"
    )
    command = commands.choices["mutants"]
    command.add_argument("--count", type=int, default=2000, help="edits (default: 2000)")
    options = parser.parse_args(arguments)
    # Being told to end is being interrupted: everything is stopped on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    programs.build(options.release)
    if options.command == "build":
        return 0
    if options.command == "start":
        return _start(options)
    if options.command == "compare":
        with control_plane(options.release, controllers=False, kubelets=False) as plane:
            return 1 if recorded.compare(plane, step=options.step, show=options.show) else 0
    if options.command == "words":
        with control_plane(options.release, controllers=False, kubelets=False) as plane:
            words.record(plane)
        return 0
    with control_plane(options.release, controllers=False, kubelets=False) as plane:
        return 1 if mutated.mutants(plane, count=options.count) else 0


def _start(options: argparse.Namespace) -> int:
    served = tuple(options.serve)
    with control_plane(options.release, options.keep, options.gates, served=served) as plane:
        driver = Driver(plane.api)
        kind = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass"}
        selector = {"cel": {"expression": f'device.driver == "{driver.name}"'}}
        if options.nodes and not plane.api.ready(
            f"/apis/resource.k8s.io/v1/deviceclasses/{driver.name}"
        ):
            plane.api.create(
                {**kind, "metadata": {"name": driver.name}, "spec": {"selectors": [selector]}}
            )
        for number in range(1, options.nodes + 1):
            name = f"node-{number}"
            if not plane.api.ready(f"/api/v1/nodes/{name}"):
                plane.node(name)
            attributes = {"model": {"string": "a100"}}
            driver.publish(
                name,
                [{"name": f"gpu-{n}", "attributes": attributes} for n in range(options.devices)],
            )
        with driver.running():
            sys.stdout.write(f"{plane.kubeconfig}\n")
            sys.stdout.flush()
            try:
                signal.pause()
            except KeyboardInterrupt:
                return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
