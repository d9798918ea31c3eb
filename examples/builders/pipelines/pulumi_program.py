"""Inside Pulumi: the whole app as one ConfigGroup, or each object as a resource of its own."""

from training_pair import app as dra

from dradsl.integrations.pulumi import component, resources


def all_at_once() -> None:
    """One component; Pulumi works out the order."""
    component("dra", dra)


def one_by_one() -> None:
    """A resource each, so that others can depend on a single one."""
    resources(dra)


if __name__ == "__main__":
    all_at_once()
