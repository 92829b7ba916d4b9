"""Fits on a Dask cluster: clients of it, tasks for its workers, and corpora that they can read."""

from chronotope.cluster.clients import connect
from chronotope.cluster.workers import ClusterLost

__all__ = ["ClusterLost", "connect"]
