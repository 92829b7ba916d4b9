"""Gaussian process priors on functions of time, in the form inference needs; the kernel decides which one, here."""

from chronotope.kernels import Kernel
from chronotope.structure.base import Floats, Marginals, Structure
from chronotope.structure.dense import DenseStructure
from chronotope.structure.grid import Grid, Reading, choose_nodes, read_nodes
from chronotope.structure.markov import MarkovStructure

__all__ = [
    "DenseStructure",
    "Grid",
    "Marginals",
    "MarkovStructure",
    "Reading",
    "Structure",
    "choose_nodes",
    "choose_structure",
    "read_nodes",
]


def choose_structure(kernel: Kernel, nodes: Floats) -> Structure:
    """The linear-time chain for a Markov kernel, the whitened basis for any other."""
    return DenseStructure(kernel, nodes) if kernel.state_space() is None else MarkovStructure(kernel, nodes)
