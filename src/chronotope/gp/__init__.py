"""Gaussian process priors conditioned on Gaussian sites: Kalman smoothing for Markov kernels, a dense basis for others.

Letters: J nodes of the time grid (the paper's M inducing points), K topics, V words, S state size, r rank of the basis;
g, b sites (natural parameters); m, s marginals (posterior mean and variance).
"""

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
    """The structure that suits a kernel: a Markov chain, linear in J, if it is Markov; else a dense basis of rank r.

    kernel : Kernel, resolved;  nodes : (J,) sorted times
    """
    return DenseStructure(kernel, nodes) if kernel.state_space() is None else MarkovStructure(kernel, nodes)
