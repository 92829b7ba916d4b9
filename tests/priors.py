"""Posteriors of independent topics, as most tests of inference need them."""

from __future__ import annotations

from chronotope.gp import Posterior, Sites, TopicPrior
from chronotope.inference.posterior import TopicPosterior


def independent(structure):
    """Topics that share nothing, each with this structure."""
    return TopicPrior(structure.kernel, 0.0, structure, None)


def own_sites(structure, g, b):
    """Independent topics with these sites, (J, K, V)."""
    return Posterior(independent(structure), Sites(g, b), None)


def topics_at(structure, g, b, mean):
    """The variational posterior of independent topics with these sites;  mean : (V,) m₀."""
    return TopicPosterior.from_sites(own_sites(structure, g, b), mean)
