"""DeviceClass: which devices a request may ask for by one name, and how they are configured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dradsl.dsl.data.fragment import Plain, check_name, set_field, without_none
from dradsl.dsl.expressions.selectors import Select, read_selectors, selectors, selectors_of
from dradsl.dsl.objects.manifest import GROUP, Manifest, Metadata, read_metadata
from dradsl.dsl.objects.parameters import AnyConfig, DriverConfig, Opaque, opaque_of, read_opaque

if TYPE_CHECKING:
    from dradsl.dsl.expressions.expression import Expression

__all__ = ["DeviceClass"]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class DeviceClass(Metadata, Manifest):
    """A class of devices, defined by an administrator.

    Args:
        name: the object's name.
        labels: its labels.
        annotations: its annotations.
        metadata: any other field of the metadata, such as `ownerReferences`.
        select: the condition that its devices fulfil; begin with a handle (`gpu & ...`), because
            the devices of every driver are asked.
        configs: what the drivers of its devices are told.
        extended_resource_name: the resource name by which a pod may ask for it without a claim.
    """

    kind: ClassVar[str] = "DeviceClass"

    select: Select = ()
    configs: Sequence[AnyConfig] = ()
    extended_resource_name: str | None = None

    def __post_init__(self) -> None:
        self._freeze_metadata(self.kind)
        set_field(self, "select", selectors(self.select, f"class {self.name}"))
        if not isinstance(self.configs, Iterable):
            raise TypeError(f"configs of class {self.name} are a list, not {self.configs!r}")
        set_field(self, "configs", tuple(self.configs))
        for config in self.configs:
            if not isinstance(config, DriverConfig | Opaque):
                raise TypeError(f"{config!r} is no configuration of a class")
        if self.extended_resource_name is not None:
            what = f"the extended resource of class {self.name}"
            check_name("extended_resource_name", self.extended_resource_name, what)
        # All else has its type by now. Modules of handles hold classes, and are imported by programs
        # that have no need of the models.
        if self.labels or self.annotations or self.metadata or self.configs:
            self._check_shape()

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """The conditions of `select`."""
        return selectors(self.select, self.name)

    def _v1(self) -> dict[str, object]:
        spec = {
            "selectors": selectors_of(self.expressions) or None,
            "config": [{"opaque": opaque_of(one)} for one in self.configs] or None,
            "extendedResourceName": self.extended_resource_name,
        }
        return {
            "apiVersion": f"{GROUP}/v1",
            "kind": self.kind,
            "metadata": self._metadata(),
            "spec": without_none(spec),
        }

    @classmethod
    def read(cls, obj: Plain) -> DeviceClass:
        """The class in a v1 object."""
        spec = obj["spec"]
        return cls(
            **read_metadata(obj["metadata"]),
            select=read_selectors(spec.get("selectors", ())),
            configs=[read_opaque(one["opaque"]) for one in spec.get("config", ())],
            extended_resource_name=spec.get("extendedResourceName"),
        )
