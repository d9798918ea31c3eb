"""What the files in `stages/` hold, as models: a wrong value is named with its place."""

from enum import Enum
from typing import Annotated

from pydantic import BaseModel, Field

__all__ = ["Cluster", "Stage", "Team"]


class Stage(Enum):
    """Where a team's workloads run."""

    DEV = "dev"
    TEST = "test"
    STAGING = "staging"
    PROD = "prod"


class Cluster(BaseModel):
    """A cluster, its release, and the GPU that training gets there."""

    name: str
    release: str = "1.36"
    product: str


class Team(BaseModel):
    """A team, and the GPUs of its training."""

    name: Annotated[str, Field(pattern="^[a-z][a-z0-9-]*$")]
    gpus: Annotated[int, Field(ge=1, le=8)] = 1
    memory: str = "40Gi"
