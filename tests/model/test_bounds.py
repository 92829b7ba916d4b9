"""The bound of every kernel is one: it stays below the likelihood that the counts themselves would give."""

import numpy as np
import pytest

import chronotope as ct

SMOOTH = ["se(3, 6)", "cauchy(3, 6)", "matern32(3, 10)", "matern52(3, 10)", "rq(3, 6, 1)", "periodic(3, 1, 40)"]
ROUGH = ["ou(3, 10)", "constant(3) + ou(1, 10)", "linear(0.01, 0)", "constant(2) + ou(1, 20) * periodic(1, 1, 30)"]


def planted(times: int, tokens: int, words: int) -> ct.Corpus:
    """Counts of Zipf's law that never change."""
    p = np.arange(1, words + 1) ** -1.5
    counts = np.random.default_rng(0).multinomial(tokens, p / p.sum(), size=times)
    return ct.Corpus(counts, np.arange(times, dtype=float))


def saturated(corpus: ct.Corpus) -> float:
    """Log-likelihood of the counts under their own frequencies, the highest there is."""
    counts = corpus.counts.toarray()
    return float((counts * np.log(np.where(counts > 0, counts / counts.sum(axis=1, keepdims=True), 1.0))).sum())


@pytest.mark.parametrize("local", ["mean-field", "sampled"])
@pytest.mark.parametrize("kernel", [*SMOOTH, *ROUGH])
def test_a_bound_is_below_the_saturated_likelihood(kernel: str, local: str) -> None:
    corpus = planted(150, 2000, 100)
    given = {"prior_mean": "zero", "local": local, "n_inducing": 40, "max_epochs": 12, "verbose": False}
    model = ct.DynamicTopicModel(1, kernel, **given).fit(corpus)
    assert model.bounds_.max() < saturated(corpus)
    assert model.topics_.mass.sum() <= corpus.n_tokens * (1 + 1e-5)


@pytest.mark.parametrize("batch_size", [None, 50])
@pytest.mark.parametrize("kernel", ["constant + periodic", "linear", "periodic(2, 1, 7)", "ou * periodic"])
@pytest.mark.filterwarnings("error")
def test_periodic_and_linear_kernels_on_coarse_grids_stay_finite(kernel: str, batch_size: int | None) -> None:
    rng = np.random.default_rng(0)
    corpus = ct.Corpus(rng.poisson(0.6, (600, 40)), np.sort(rng.uniform(1990, 2020, 600)), calendar=True)
    for nodes in (3, 16):
        given = {"n_inducing": nodes, "batch_size": batch_size, "max_epochs": 3, "verbose": False}
        model = ct.DynamicTopicModel(3, kernel, **given).fit(corpus)
        bands = model.topics_.trajectories(0, [0, 1], np.linspace(1980, 2030, 9))
        assert np.isfinite(model.bounds_).all()
        assert np.isfinite(bands[["mean", "low", "high"]].to_numpy()).all()
        assert not model.diverged_
