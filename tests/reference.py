"""The model in plain NumPy: dense matrices, explicit loops, φ formed. Slow, and as close to the formulas as can be."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import digamma, gammaln


def random_sites(rng, J, K, V):
    """Sites g, b (J, K, V): ordinary, without weight (b = 0, with and without a pull g), and very sharp ones."""
    b = rng.gamma(1.0, 2.0, (J, K, V))
    b[rng.random((J, K, V)) < 0.2] = 0.0
    b[rng.random((J, K, V)) < 0.1] *= 1e5
    g = rng.normal(size=(J, K, V)) * (1.0 + b)
    g[rng.random((J, K, V)) < 0.1] = 0.0
    return g, b


def mild_sites(rng, J, K, V):
    """Sites such as a few documents make."""
    b = rng.gamma(2.0, 0.5, (J, K, V))
    return b * rng.normal(size=(J, K, V)), b


def posterior_of_word(kernel, nodes, times, g, b):
    """Mean and covariance of f at the times, given sites exp(g f − b f²/2) at the nodes; g, b : (J,).

    W = √B (I + √B K √B)⁻¹ √B,   m = k (g − W K g),   cov = κ − k W kᵀ        no inverse of K: it may be singular
    """
    K, k, root = kernel(nodes), kernel(times, nodes), np.sqrt(b)
    W = root[:, None] * np.linalg.inv(np.eye(len(nodes)) + root[:, None] * K * root) * root
    return k @ (g - W @ K @ g), kernel(times) - k @ W @ k.T


def kl_of_word(kernel, nodes, g, b):
    """KL of the posterior to the prior at the nodes, all terms:  ½ (tr K⁻¹Σ + μᵀK⁻¹μ − J + log|K| − log|Σ|).

    With C = I + √B K √B:  K⁻¹Σ ~ C⁻¹,  |K|/|Σ| = |C|,  K⁻¹μ = g − W K g.
    """
    K, root, J = kernel(nodes), np.sqrt(b), len(nodes)
    C = np.eye(J) + root[:, None] * K * root
    inverse = np.linalg.inv(C)
    slope = g - root * (inverse @ (root * (K @ g)))
    return 0.5 * (np.trace(inverse) + slope @ K @ slope - J + np.linalg.slogdet(C)[1])


def posterior(kernel, nodes, times, g, b):
    """Marginals m, s (n, K, V) of every word at the times, and KL (K,), word by word."""
    _, K, V = g.shape
    m, s, kl = np.empty((len(times), K, V)), np.empty((len(times), K, V)), np.zeros(K)
    for k in range(K):
        for v in range(V):
            m[:, k, v], cov = posterior_of_word(kernel, nodes, times, g[:, k, v], b[:, k, v])
            s[:, k, v] = np.diag(cov)
            kl[k] += kl_of_word(kernel, nodes, g[:, k, v], b[:, k, v])
    return m, s, kl


def textbook_kl(mu, cov, prior):
    """KL( N(mu, cov) ‖ N(0, prior) )."""
    trace, quadratic = np.trace(np.linalg.solve(prior, cov)), mu @ np.linalg.solve(prior, mu)
    return 0.5 * (trace + quadratic - len(mu) + np.linalg.slogdet(prior)[1] - np.linalg.slogdet(cov)[1])


class Inducing(NamedTuple):
    """A prior as inducing variables u ~ N(0, prior) (n,) with values  f = A u + N(0, residual)  at the nodes (J,)."""

    prior: np.ndarray
    A: np.ndarray
    residual: np.ndarray

    def naturals(self, g, b):
        """h = Aᵀ g and P = prior⁻¹ + Aᵀ diag(b) A of one word's q(u)."""
        return self.A.T @ g, np.linalg.inv(self.prior) + self.A.T @ (b[:, None] * self.A)

    def moments(self, g, b):
        """Mean and covariance of one word's q(u)."""
        h, P = self.naturals(g, b)
        cov = np.linalg.inv(P)
        return cov @ h, 0.5 * (cov + cov.T)

    def read(self, mu, cov):
        """m, s at the nodes of one word."""
        return self.A @ mu, np.einsum("ji,ik,jk->j", self.A, cov, self.A) + self.residual


def inducing_values(kernel, nodes):
    """u = the values at the nodes themselves."""
    return Inducing(kernel(nodes), np.eye(len(nodes)), np.zeros(len(nodes)))


def inducing_states(kernel, nodes):
    """u = the states at the nodes, stacked:  cov(x_i, x_j) = A(t_j → t_i) cov x_j  for i ≥ j."""
    space, J = kernel.state_space(), len(nodes)
    S = space.size
    prior = np.empty((J * S, J * S))
    for i in range(J):
        for j in range(i + 1):
            block = space.transition(nodes[j : j + 1], nodes[i : i + 1])[0] @ space.covariance(nodes[j])
            prior[i * S : (i + 1) * S, j * S : (j + 1) * S] = block
            prior[j * S : (j + 1) * S, i * S : (i + 1) * S] = block.T
    return Inducing(prior, np.kron(np.eye(J), space.H[None, :]), np.zeros(J))


def inducing_weights(kernel, nodes, rank):
    """u = weights of the leading eigenvectors of K_ZZ, of prior variance 1 each."""
    values, vectors = np.linalg.eigh(kernel(nodes))
    A = (vectors * np.sqrt(np.maximum(values, 0.0)))[:, ::-1][:, :rank]
    return Inducing(np.eye(rank), A, kernel.diag(nodes) - (A**2).sum(axis=1))


class Texts(NamedTuple):
    """Documents as dense arrays: counts (D, V), weights on the nodes (D, J), slack (D,)."""

    counts: np.ndarray
    W: np.ndarray
    slack: np.ndarray


def dense_texts(docs, J, V):
    """The same documents with every weight and every count written out."""
    D = len(docs.left)
    texts = Texts(np.zeros((D, V)), np.zeros((D, J)), docs.slack)
    for d in range(D):
        for i in range(docs.indptr[d], docs.indptr[d + 1]):
            texts.counts[d, docs.indices[i]] += docs.data[i]
        for side in range(2):
            if docs.weight[d, side] != 0.0:
                texts.W[d, docs.left[d] + side] += docs.weight[d, side]
    return texts


def log_zeta(m, s):
    """log ζ_k(τ) = log Σ_v exp(m_kv + s_kv/2).   m, s : (J, K, V)."""
    return np.log(np.exp(m + s / 2).sum(axis=2))


def best_phi(texts, m, lz, lam):
    """φ_dvk ∝ exp(ψ(λ_dk) + m_kv(τ_d) − log ζ_k(τ_d)) : (D, V, K)."""
    (D, V), K = texts.counts.shape, m.shape[1]
    phi = np.empty((D, V, K))
    for d in range(D):
        logits, norm = np.tensordot(texts.W[d], m, axes=1), texts.W[d] @ lz + texts.slack[d]
        for v in range(V):
            for k in range(K):
                phi[d, v, k] = np.exp(digamma(lam[d, k]) + logits[k, v] - norm[k])
            phi[d, v] /= phi[d, v].sum()
    return phi


def best_lam(texts, phi, alpha):
    """λ_dk = α_k + Σ_v n_dv φ_dvk : (D, K)."""
    return alpha + np.einsum("dv,dvk->dk", texts.counts, phi)


def statistics(texts, phi):
    """n_kv(z_j) = Σ_d w_j(τ_d) n_dv φ_dvk (J, K, V) and N_k = Σ_v n_kv (J, K), by loops."""
    (D, J), (V, K) = texts.W.shape, phi.shape[1:]
    n = np.zeros((J, K, V))
    for d in range(D):
        for j in range(J):
            for v in range(V):
                for k in range(K):
                    n[j, k, v] += texts.W[d, j] * texts.counts[d, v] * phi[d, v, k]
    return n, n.sum(axis=2)


def document_bound(texts, d, m, lz, phi, lam, alpha):
    """The braces of the ELBO for document d, term by term."""
    K, V = m.shape[1:]
    logits, norm = np.tensordot(texts.W[d], m, axes=1), texts.W[d] @ lz + texts.slack[d]
    share = digamma(lam[d]) - digamma(lam[d].sum())
    bound = gammaln(alpha.sum()) - gammaln(lam[d].sum())
    for k in range(K):
        bound += (alpha[k] - lam[d, k]) * share[k] + gammaln(lam[d, k]) - gammaln(alpha[k])
    for v in range(V):
        if texts.counts[d, v] > 0:
            for k in range(K):
                p = phi[d, v, k]
                bound += texts.counts[d, v] * p * (share[k] + logits[k, v] - norm[k] - np.log(p))
    return bound


def documents_bound(texts, m, lz, phi, lam, alpha):
    """The ELBO without the KL of the topics."""
    return sum(document_bound(texts, d, m, lz, phi, lam, alpha) for d in range(len(lam)))


def central(f, x, step):
    """Central differences of f at x, any shape."""
    gradient = np.empty_like(x)
    for index in np.ndindex(*x.shape):
        ahead, behind = x.copy(), x.copy()
        ahead[index] += step
        behind[index] -= step
        gradient[index] = (f(ahead) - f(behind)) / (2 * step)
    return gradient


def central_symmetric(f, cov, step):
    """∇_Σ f of a function of a symmetric matrix: ½ of the derivative along a pair of entries off the diagonal."""
    gradient = np.empty_like(cov)
    for i in range(len(cov)):
        for j in range(i + 1):
            along = np.zeros_like(cov)
            along[i, j] = along[j, i] = step
            slope = (f(cov + along) - f(cov - along)) / (2 * step)
            gradient[i, j] = gradient[j, i] = slope if i == j else slope / 2
    return gradient


def moment_gradients(bound):
    """Gradients of bound(mu, cov) in the mean and the covariance of a Gaussian, at its own, by central differences."""
    step = 1e-3 * np.sqrt(np.linalg.eigvalsh(bound.cov)[0])
    slope_mu = central(lambda mu: bound(mu, bound.cov), bound.mu, 1e-5)
    slope_cov = central_symmetric(lambda cov: bound(bound.mu, cov), bound.cov, min(step**2 * 1e2, 1e-4))
    return slope_mu, slope_cov


def likelihoods(texts, posterior, d):
    """E[π_kw(τ_d)] read from the nodes, (K, V)."""
    logits = np.tensordot(texts.W[d], posterior.m + posterior.s / 2, axes=1)
    return np.exp(logits - (texts.W[d] @ posterior.log_zeta)[:, None])
