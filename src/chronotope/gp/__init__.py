"""Gaussian process priors on functions of time, in the form inference needs; the kernel decides which one, here."""

from chronotope._typing import Floats
from chronotope.gp.base import Marginals, Structure
from chronotope.gp.dense import DenseStructure
from chronotope.gp.grid import Grid, NodeWeights, choose_nodes, node_weights
from chronotope.gp.markov import MarkovStructure
from chronotope.kernels import Kernel

__all__ = [
    "DenseStructure",
    "Grid",
    "Marginals",
    "MarkovStructure",
    "NodeWeights",
    "Structure",
    "choose_nodes",
    "choose_structure",
    "node_weights",
]


def choose_structure(kernel: Kernel, nodes: Floats) -> Structure:
    """The linear-time chain for a Markov kernel, the whitened basis for any other."""
    return DenseStructure(kernel, nodes) if kernel.state_space() is None else MarkovStructure(kernel, nodes)
