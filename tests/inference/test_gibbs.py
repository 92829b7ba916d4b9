"""The topics of one document's tokens: each is classified without its own count, and chains go on where they were."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from planted import place_documents
from reference import dense_texts, likelihoods, statistics

from chronotope.gp import topic_prior
from chronotope.inference.chains import Chains
from chronotope.inference.documents import uniform_lambda
from chronotope.inference.gibbs import LEAST, _left, leave_totals, next_state, stream, unit
from chronotope.inference.posterior import TopicPosterior
from chronotope.inference.sampled import sampled_step
from chronotope.inference.statistics import Statistics
from chronotope.inference.tables import TopicTables
from chronotope.kernels import Constant


def solved(n):
    """One topic at one node at the fixed point of the global step, for counts n (V,)."""
    stats = Statistics(n[None, None], np.array([[n.sum()]]), 0.0)
    prior = topic_prior(Constant(6.0), np.zeros(1))
    posterior = TopicPosterior(prior, np.full((1, len(n)), 1 / len(n)), np.zeros(len(n)), "float64")
    for step in range(200):
        posterior.step(stats, 0.7, 0.5**step)
    return posterior


def own_part(s, word, size=1.0, at=(0, 1.0, 0.0)):
    """The factor of E for s (J, V, K), of topic 0."""
    return _left(s.astype(np.float32), (at[0], np.float32(at[1]), np.float32(at[2])), word, 0, np.float32(size))


@pytest.mark.parametrize("low", [20, 200])
def test_without_one_token_a_logit_is_lower_by_its_variance(low):
    """∂m/∂n = s, and E of the word falls by the factor 1 − s: both to first order in s, for a word among many."""
    n = np.random.default_rng(0).integers(low, 2 * low, 2000).astype(float)
    posterior = solved(n)
    for word in (0, int(n.argmin()), int(n.argmax())):
        less = n.copy()
        less[word] -= 1
        without = solved(less)
        s = posterior.s[0, 0, word]
        np.testing.assert_allclose(without.m[0, 0, word] - posterior.m[0, 0, word], -s, rtol=0, atol=1.5 * s**2)
        share, own = (np.exp(x.expected_logits()[0, 0, word] - x.log_zeta[0, 0]) for x in (without, posterior))
        factor = own_part(posterior.s.transpose(0, 2, 1), word)
        np.testing.assert_allclose(factor, 1 - s, rtol=1e-6, atol=0)
        np.testing.assert_allclose(share / own, factor, rtol=0, atol=1.5 * s**2)


@pytest.mark.parametrize("size", [1, 30])
def test_without_a_document_probabilities_change_by_its_words_and_by_its_total(size):
    """E without a document of many words, against the fixed point without it: to first order in its size."""
    rng = np.random.default_rng(1)
    n = rng.integers(100, 400, 200).astype(float)
    document = rng.multinomial(20 * size, n / n.sum()).astype(float)
    posterior, without = solved(n), solved(n - document)
    E, other = (np.exp(x.expected_logits()[0, 0] - x.log_zeta[0, 0]) for x in (posterior, without))
    s = posterior.s[0, 0]
    factor = (1 - document * s) * (1 + document.sum() * E * s)
    part = document.max() / n.min()
    np.testing.assert_allclose(other / E, factor, rtol=0, atol=2 * part**2)
    np.testing.assert_allclose(E * (1 + document.sum() * E * s), left_total(E, s, document.sum()), rtol=1e-5, atol=0)


def left_total(E, s, total):
    """E of one topic (V,) without so many tokens in its total."""
    words, out = np.arange(len(E)), np.empty((len(E), 1), np.float32)
    counts, tokens = np.zeros(len(E), np.float32), np.zeros(len(E), np.int64)
    counts[0], tokens[0] = total, 1
    doc = words, counts, tokens, E[::-1, None].astype(np.float32), words[::-1].copy()
    at = 0, np.float32(1.0), np.float32(0.0)
    chain = np.zeros(1, np.uint16), np.empty(1, np.float32)
    leave_totals(doc, at, s[None, :, None].astype(np.float32), chain, out)
    np.testing.assert_array_equal(doc[4], words)
    return out[:, 0]


def test_the_part_without_a_token_is_interpolated_weighted_and_never_below_its_least():
    s = np.random.default_rng(0).uniform(0.1, 0.4, (3, 5, 2))
    between = 0.3 * s[1, 4, 0] + 0.6 * s[2, 4, 0]
    np.testing.assert_allclose(own_part(s, 4, 1.5, (1, 0.3, 0.6)), 1 - 1.5 * between, rtol=1e-6, atol=0)
    np.testing.assert_allclose(own_part(s, 4, at=(2, 1.0, 0.0)), 1 - s[2, 4, 0], rtol=1e-6, atol=0)
    for huge in (1.0, 3.0, 1e6):
        assert own_part(np.full((1, 5, 1), huge), 2) == LEAST > 0
        assert own_part(s, 4, size=10 * huge) == LEAST


def joint_probabilities(z, i, words, E, s, alpha):
    """(α_k + n_k) E_kv without token i, not normalised;  z : topics of the tokens;  E, s : (K, V)."""
    others = np.bincount(np.delete(z, i), minlength=len(alpha))
    same = np.bincount(z[words == words[i]], minlength=len(alpha))
    return (alpha + others) * E[:, words[i]] * np.maximum(1 - same * s[:, words[i]], LEAST)


def probabilities(z, i, words, E, s, alpha):
    """p(k_i = k | the other tokens)."""
    p = joint_probabilities(z, i, words, E, s, alpha)
    return p / p.sum()


def without_totals(E, s, z):
    """E without the totals of a document whose tokens have the topics z when the step starts.   E, s : (K, V)."""
    return E * (1 + np.minimum(np.bincount(z, minlength=len(E))[:, None] * E * s, 1))


def long_run(words, E, s, alpha):
    """Mean of the probabilities that topics are drawn from, (tokens, K), in a sweep that has gone on forever."""
    states = [np.array(z) for z in product(range(len(alpha)), repeat=len(words))]
    number = {tuple(z): i for i, z in enumerate(states)}
    drawn = np.array([[probabilities(z, i, words, E, s, alpha) for z in states] for i in range(len(words))])
    steps = []
    for i in range(len(words)):
        step = np.zeros((len(states), len(states)))
        for z, p in zip(states, drawn[i], strict=True):
            for k in range(len(alpha)):
                step[number[tuple(z)], number[(*z[:i], k, *z[i + 1 :])]] += p[k]
        steps.append(step)
    share = np.linalg.matrix_power(np.linalg.multi_dot(steps), 1000)[0]
    means = []
    for step, p in zip(steps, drawn, strict=True):
        means.append(share @ p)
        share = share @ step
    return np.array(means)


def two_documents(structure):
    counts = np.zeros((2, 7))
    counts[0, [1, 4]], counts[1, [0, 6, 5]] = [1, 2], 1
    return place_documents(sp.csr_array(counts), np.array([0.3, 0.7]), structure.kernel, structure.nodes, np.zeros(7))


def topics_of(posterior):
    return TopicTables(posterior.expected_logits(), posterior.s, posterior.log_zeta)


def at_times(docs, posterior):
    """Words of the tokens, E and s (K, V), of each document."""
    texts = dense_texts(docs, *posterior.m.shape[::2])
    for d, row in enumerate(texts.counts):
        words = np.repeat(np.arange(len(row)), row.astype(int))
        yield words, likelihoods(texts, posterior, d), np.tensordot(texts.W[d], posterior.s, axes=1)


def test_sampled_responsibilities_are_the_long_run_of_tokens_classified_by_the_others(structure, posterior, alpha):
    docs = two_documents(structure)
    chains, lam = Chains.of(docs, np.zeros(6, np.uint16)), uniform_lambda(docs, alpha)
    stats = sampled_step(docs, topics_of(posterior), alpha, chains, lam, 1, (50, 100_000))
    phi = np.zeros((2, 7, len(alpha)))
    for d, (words, E, s) in enumerate(at_times(docs, posterior)):
        others = without_totals(E, s, np.zeros(len(words), int))
        for word, p in zip(words, long_run(words, others, s, alpha), strict=True):
            phi[d, word] += p / (words == word).sum()
    n, N = statistics(dense_texts(docs, *posterior.m.shape[::2]), phi)
    np.testing.assert_allclose(stats.n, n, rtol=0, atol=0.01)
    np.testing.assert_allclose(stats.N, N, rtol=0, atol=0.02)


@pytest.mark.parametrize("seed", range(5))
def test_a_started_chain_continues_from_its_topics(structure, posterior, alpha, seed):
    """One sweep, draw by draw, by explicit loops over the same random numbers."""
    docs = two_documents(structure)
    before = np.random.default_rng(seed).integers(0, len(alpha), 6).astype(np.uint16)
    chains = Chains.of(docs, before.copy())
    stats = sampled_step(docs, topics_of(posterior), alpha, chains, uniform_lambda(docs, alpha), seed, (0, 1))
    expected, predicted = [], 0.0
    for d, (words, E, s) in enumerate(at_times(docs, posterior)):
        z, x = before[chains.first[d] :][: len(words)].astype(int), next_state(np.uint64(stream(seed, d)))
        E = without_totals(E, s, z)
        for i in range(len(words)):
            x = next_state(np.uint64(x))
            p = joint_probabilities(z, i, words, E, s, alpha)
            predicted += np.log(p.sum() / (alpha.sum() + len(words) - 1)) - docs.slack[d]
            order = np.concatenate([[z[i]], np.delete(np.arange(len(alpha)), z[i])])  # its own topic first
            z[i] = order[np.searchsorted(np.cumsum(p[order] / p.sum()), unit(np.uint64(x)), side="right")]
        expected.extend(z)
    assert chains.topic.tolist() == expected
    np.testing.assert_allclose(stats.predicted, predicted, rtol=1e-5, atol=0)


@pytest.mark.parametrize("sweeps", [(0, 3), (2, 1)])
def test_what_is_predicted_is_the_mean_over_the_kept_sweeps(structure, posterior, alpha, sweeps):
    """The chain replayed, one sweep per step of the same stream, gives each sweep's part."""
    docs, before = two_documents(structure), np.array([0, 1, 2, 0, 1, 2], np.uint16)
    given = topics_of(posterior), alpha

    def predicted(*how):
        chains = Chains.of(docs, before.copy())
        return sampled_step(docs, *given, chains, uniform_lambda(docs, alpha), 3, how).predicted

    each = [predicted(s, 1) for s in range(sweeps[0], sum(sweeps))]
    np.testing.assert_allclose(predicted(*sweeps), np.mean(each), rtol=1e-5, atol=0)
    assert len(set(each)) == len(each)
