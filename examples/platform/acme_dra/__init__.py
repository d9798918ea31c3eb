"""Devices at Acme: classes, and claims on them."""
