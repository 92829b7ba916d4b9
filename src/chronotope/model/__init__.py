"""The estimator: dynamic topics with a Gaussian process prior."""

from chronotope.model.estimator import DynamicTopicModel
from chronotope.model.persistence import load

__all__ = ["DynamicTopicModel", "load"]
