"""`dradsl claims`: claims with their devices and pods."""

from __future__ import annotations

from dradsl.cli.held import claims_command as command

__all__ = ["command"]
