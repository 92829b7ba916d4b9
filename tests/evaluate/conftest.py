"""A small corpus drawn from the model, and options for fits of a moment."""

import numpy as np
import pytest
from planted import plant

from chronotope import Corpus, OrnsteinUhlenbeck

QUICK = {"n_topics": 2, "max_epochs": 3, "n_threads": 1}


@pytest.fixture(scope="session")
def small() -> Corpus:
    times = np.arange(1900.0, 1914.0)
    return plant(OrnsteinUhlenbeck(4, 20), times, n_topics=2, n_words=15, documents=5, length=60).corpus


@pytest.fixture
def quick() -> dict:
    return dict(QUICK)
