"""Runs an expression on every shape of device that a schema allows; notes what happens, judges nothing."""
