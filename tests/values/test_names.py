"""Formats of names, with upstream's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dradsl.values import names

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Check: TypeAlias = Callable[[str], list[str]]

SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
    "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
IDENTIFIER = (
    "a valid C identifier must start with alphabetic character or '_', followed by a string of "
    "alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for "
    "validation is '[A-Za-z_][A-Za-z0-9_]*')"
)


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (names.dns1123_label, "gpu-0"),
        (names.dns1123_label, "a" * 63),
        (names.dns1123_subdomain, "gpu.nvidia.com"),
        (names.dns1123_subdomain, "a" * 253),
        (names.driver_name, "GPU.nvidia.com"),
        (names.c_identifier, "_productName1"),
        (names.qualified_name, "model"),
        (names.qualified_name, "gpu.nvidia.com/model"),
        (names.qualified_name, "a/b/c"),
        (names.label_key, "example.com/My.name_1"),
        (names.label_value, ""),
        (names.label_value, "a.B_c-1"),
        (names.extended_resource_name, "nvidia.com/gpu"),
        (names.uuid, "550e8400-e29b-41d4-a716-446655440000"),
    ],
)
def test_valid(check: Check, text: str) -> None:
    assert check(text) == []


@pytest.mark.parametrize(
    ("check", "text", "messages"),
    [
        (names.dns1123_label, "a.b", ["must not contain dots"]),
        (
            names.dns1123_label,
            "A" * 64,
            [
                "must be no more than 63 characters",
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or "
                "'-', and must start and end with an alphanumeric character (e.g. 'my-name',  or "
                "'123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
            ],
        ),
        (names.dns1123_subdomain, "a..b", [SUBDOMAIN]),
        (names.dns1123_subdomain, "a\n", [SUBDOMAIN]),
        (names.driver_name, "a" * 64, ["may not be more than 63 bytes"]),
        (names.driver_name, "", ["must be non-empty"]),
        (names.c_identifier, "a-b", [IDENTIFIER]),
        (names.c_identifier, "a" * 33, ["may not be more than 32 bytes"]),
        (names.qualified_name, "/a", ["the domain must not be empty"]),
        (names.qualified_name, "a/", ["the name must not be empty"]),
        (
            names.label_key,
            "é/" + "x" * 64,
            [f"prefix part {SUBDOMAIN}", "name part must be no more than 63 bytes"],
        ),
        (
            names.extended_resource_name,
            "x.kubernetes.io/foo",
            ['must not have "kubernetes.io/" domain'],
        ),
        (
            names.uuid,
            "550E8400-e29b-41d4-a716-446655440000",
            ["must be a lowercase UUID in 8-4-4-4-12 format"],
        ),
    ],
)
def test_invalid(check: Check, text: str, messages: list[str]) -> None:
    assert check(text) == messages


def test_wording_of_older_releases() -> None:
    assert names.label_key("x" * 64, unit="characters") == [
        "name part must be no more than 63 characters"
    ]
    assert names.label_key("a/b/c", noun="qualified name")[0].startswith("a qualified name must")
    assert names.label_key("a/b/c")[0].startswith("a valid label key must")


def test_lengths_are_bytes() -> None:
    assert names.length_in_bytes("é") == 2
    assert names.too_long(1) == "may not be more than 1 byte"
    assert "must be no more than 63 characters" in names.dns1123_label("é" * 32)


@pytest.mark.parametrize("check", [names.dns1123_label, names.dns1123_subdomain, names.label_key])
def test_long_texts_are_no_trap(check: Check) -> None:
    assert check("a-" * 50_000 + "!")
    assert check("a." * 50_000 + "!")
