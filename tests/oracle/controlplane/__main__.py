"""`python -m tests.oracle.controlplane`: a real control plane of a release, and what is asked of it; see README.md."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from tests.oracle.controlplane import programs
from tests.oracle.controlplane.driver import Driver
from tests.oracle.controlplane.plane import control_plane


def main(arguments: list[str] | None = None) -> int:
    """Runs a command."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.controlplane", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, told in (("build", "build what is missing"), ("start", "build, start, and wait")):
        command = commands.add_parser(name, help=told)
        command.add_argument("--release", choices=sorted(programs.RELEASES), default="1.37")
    command.add_argument("--nodes", type=int, default=2, help="nodes with devices (default: 2)")
    command.add_argument("--devices", type=int, default=4, help="devices of a node (default: 4)")
    command.add_argument("--gates", default="", help="as --feature-gates of the components")
    command.add_argument("--serve", action="append", default=[], metavar="GROUP/VERSION")
    command.add_argument("--keep", type=Path, help="a folder for logs and data that stays")
    options = parser.parse_args(arguments)
    programs.build(options.release)
    return _start(options) if options.command == "start" else 0


def _start(options: argparse.Namespace) -> int:
    # Being told to end is being interrupted: everything is stopped on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    served = tuple(options.serve)
    with control_plane(options.release, options.keep, options.gates, served=served) as plane:
        driver = Driver(plane.api)
        kind = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass"}
        selector = {"cel": {"expression": f'device.driver == "{driver.name}"'}}
        if options.nodes and not plane.api.ready(f"/apis/resource.k8s.io/v1/deviceclasses/{driver.name}"):
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
