"""Gaussian process priors conditioned on Gaussian sites: Kalman smoothing for Markov kernels, a dense basis for others.

Letters: J nodes of the time grid (the paper's M inducing points), K topics, V words, S state size, r rank of the basis;
g, b sites (natural parameters); m, s marginals (posterior mean and variance).
"""

from chronotope.gp.base import Marginals, Structure
from chronotope.gp.blas import one_blas_thread
from chronotope.gp.dense import DenseStructure
from chronotope.gp.grid import Grid, NodeWeights, choose_nodes, node_weights
from chronotope.gp.joint import JointPosterior, joint_evidence, sites_of_sums
from chronotope.gp.limits import check_prior, is_allowed
from chronotope.gp.markov import MarkovStructure
from chronotope.gp.shared import Posterior, Sites, TopicPrior, choose_structure, topic_prior
from chronotope.gp.tracks import Tracks

__all__ = [
    "DenseStructure",
    "Grid",
    "JointPosterior",
    "Marginals",
    "MarkovStructure",
    "NodeWeights",
    "Posterior",
    "Sites",
    "Structure",
    "TopicPrior",
    "Tracks",
    "check_prior",
    "choose_nodes",
    "choose_structure",
    "is_allowed",
    "joint_evidence",
    "node_weights",
    "one_blas_thread",
    "sites_of_sums",
    "topic_prior",
]
