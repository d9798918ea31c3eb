"""`dradsl devices`: devices and who holds them."""

from __future__ import annotations

from dradsl.cli.held import devices_command as command

__all__ = ["command"]
