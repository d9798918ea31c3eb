"""Kinds of input: manifests, operators, and extended resources that DeviceClasses answer for."""
