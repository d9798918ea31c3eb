"""`python -m dradsl`: the command line."""

from dradsl.cli import start

start()
