"""Fitted models that several tests ask."""

from __future__ import annotations

import numpy as np
import pytest
from planted import Planted, plant
from subjects import planted_subjects, with_subjects

from chronotope import Corpus, DynamicTopicModel, OrnsteinUhlenbeck

K, V, T = 2, 15, 12


@pytest.fixture(scope="session")
def planted() -> Planted:
    return plant(OrnsteinUhlenbeck(2, 10), np.arange(T) * 2.0, K, V, documents=8, length=60, seed=1)


@pytest.fixture(scope="session")
def model(planted: Planted) -> DynamicTopicModel:
    settings = {"alpha": 0.3, "dtype": "float64", "max_epochs": 15}
    return DynamicTopicModel(K, OrnsteinUhlenbeck(2, 10), shared=0.5, **settings).fit(planted.corpus)


@pytest.fixture(scope="session")
def smooth(planted: Planted) -> DynamicTopicModel:
    """The same documents under a prior that is not Markov."""
    return DynamicTopicModel(K, "cauchy(2, 6)", shared=0.5, alpha=0.3, dtype="float64", max_epochs=5).fit(
        planted.corpus
    )


@pytest.fixture(scope="session")
def archive() -> Corpus:
    """Documents with planted subjects, a way of speaking, names, noise, and another language."""
    return planted_subjects()


@pytest.fixture(scope="session")
def subjects(archive: Corpus) -> DynamicTopicModel:
    """The model that knows what was planted in the archive."""
    return with_subjects(archive)
