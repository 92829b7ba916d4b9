"""State spaces of Markov kernels against the dense covariance."""

from fractions import Fraction
from math import factorial, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.kernels import Matern, OrnsteinUhlenbeck, Periodic, White, Wiener

SORTED_TIMES = st.lists(st.integers(-4000, 4000), min_size=2, max_size=9).map(lambda ticks: np.sort(ticks) / 1000.0)


def chained_covariance(space, x):
    """Covariance of f at sorted x from one prior covariance, then only steps: P ← A P Aᵀ + Q."""
    A, Q = space.transition(x[:-1], x[1:]), space.noise(x[:-1], x[1:])
    P, K = space.covariance(x[0]), np.empty((len(x), len(x)))
    for i in range(len(x)):
        cross = P
        for j in range(i, len(x)):
            K[i, j] = K[j, i] = space.H @ cross @ space.H
            cross = A[j] @ cross if j + 1 < len(x) else cross
        P = A[i] @ P @ A[i].T + Q[i] if i + 1 < len(x) else P
    return K


@settings(max_examples=15, deadline=None)
@given(x=SORTED_TIMES)
def test_chained_steps_give_the_dense_covariance(markov, x):
    np.testing.assert_allclose(chained_covariance(markov.state_space(), x), markov(x), rtol=1e-11, atol=1e-12)


@settings(max_examples=10, deadline=None)
@given(x=SORTED_TIMES)
def test_one_step_carries_the_prior_covariance_forward(markov, x):
    space = markov.state_space()
    A, Q = space.transition(x[:-1], x[1:]), space.noise(x[:-1], x[1:])
    P = space.covariance(x)
    carried = A @ P[:-1] @ A.transpose(0, 2, 1) + Q
    np.testing.assert_allclose(carried, P[1:], rtol=1e-12, atol=1e-12)


@settings(max_examples=10, deadline=None)
@given(x=SORTED_TIMES)
def test_noise_is_symmetric_positive_semi_definite(markov, x):
    Q = markov.state_space().noise(x[:-1], x[1:])
    np.testing.assert_allclose(Q, Q.transpose(0, 2, 1), rtol=1e-14, atol=1e-300)
    assert np.linalg.eigvalsh(Q).min() >= -1e-13 * np.abs(Q).max()


def test_shapes_follow_the_state_size(markov):
    space = markov.state_space()
    S = space.size
    assert space.H.shape == (S,)
    assert space.covariance(0.7).shape == (S, S)
    assert space.covariance([0.7, 1.0]).shape == (2, S, S)
    assert space.transition(np.zeros(3), np.arange(3.0)).shape == (3, S, S)
    assert space.noise(np.zeros(3), np.arange(3.0)).shape == (3, S, S)


def test_a_step_of_no_length_changes_nothing(markov):
    space, t = markov.state_space(), np.array([-1.25, 0.2, 0.5])
    np.testing.assert_array_equal(space.transition(t, t), np.tile(np.eye(space.size), (3, 1, 1)))
    np.testing.assert_array_equal(space.noise(t, t), np.zeros((3, space.size, space.size)))


def test_kernels_that_are_not_markov_have_no_state_space(not_markov):
    assert not_markov.state_space() is None


def exact_noise(p, q, s):
    """Noise q ∫_0^s e^−2u p pᵀ du in rational numbers, from the power series of the exponential."""
    s, Q = Fraction(s), np.empty((len(p), len(p)))
    for i, a in enumerate(p):
        for j, b in enumerate(p):
            pairs = [(k + l, Fraction(c) * Fraction(d)) for k, c in enumerate(a) for l, d in enumerate(b)]
            terms = [
                c * Fraction((-2) ** m, factorial(m)) * s ** (k + m + 1) / (k + m + 1)
                for k, c in pairs
                for m in range(60)
            ]
            Q[i, j] = float(q * sum(terms))
    return Q


IMPULSES = {
    0.5: (Fraction(2), [[1]]),
    1.5: (Fraction(4), [[0, 1], [1, -1]]),
    2.5: (Fraction(16, 3), [[0, 0, 0.5], [0, 1, -0.5], [1, -2, 0.5]]),
}


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5])
@pytest.mark.parametrize("step", [1e-8, 1e-4, 1e-2, 0.3, 3.0])
def test_matern_noise_keeps_its_digits_at_every_step_length(nu, step):
    space = Matern(1.0, sqrt(2 * nu), nu).state_space()  # a length scale at which λ = 1
    q, p = IMPULSES[nu]
    np.testing.assert_allclose(space.noise([0.0], [step])[0], exact_noise(p, q, step), rtol=1e-12, atol=0)


@pytest.mark.parametrize("step", [1e-10, 1e-4, 1.0])
def test_noise_of_a_product_keeps_its_digits(step):
    product = OrnsteinUhlenbeck(2.0, 3.0) * OrnsteinUhlenbeck(1.5, 6.0)
    same = OrnsteinUhlenbeck(3.0, 2.0)
    actual, expected = (kernel.state_space().noise([0.0], [step]) for kernel in (product, same))
    np.testing.assert_allclose(actual, expected, rtol=1e-14, atol=0)


@pytest.mark.parametrize("initial_variance", [0.0, 1.3])
@pytest.mark.parametrize("origin", [-5.0, 0.0, 0.5, 9.0])
def test_two_sided_wiener_is_markov_across_its_origin(initial_variance, origin):
    x = np.array([-3.0, -1.0, -0.2, 0.4, 1.5, 4.0])
    precision = np.linalg.inv(Wiener(0.7, initial_variance, origin)(x))
    beyond = np.abs(np.subtract.outer(np.arange(6), np.arange(6))) > 1
    np.testing.assert_allclose(precision[beyond], 0.0, rtol=0, atol=1e-12)


@pytest.mark.parametrize("step", [1e-12, 1e-6, 0.5])
def test_wiener_noise_keeps_its_digits_on_both_sides(step):
    space = Wiener(0.7, 2.0, 10.0).state_space()
    after, before = space.noise([12.0], [12.0 + step]), space.noise([4.0], [4.0 + step])
    length, rest = (12.0 + step) - 12.0, (4.0 + step) - 4.0
    np.testing.assert_allclose(after[0, 0, 0], 0.7 * length, rtol=1e-14, atol=0)
    shrinkage = (2.0 + 0.7 * (6.0 - rest)) / (2.0 + 0.7 * 6.0)
    np.testing.assert_allclose(before[0, 0, 0], shrinkage * 0.7 * rest, rtol=1e-14, atol=0)


def test_white_forgets_between_different_times():
    space = White(0.3).state_space()
    np.testing.assert_array_equal(space.transition([0.0, 1.0], [1e-9, 1.0])[:, 0, 0], [0.0, 1.0])
    np.testing.assert_array_equal(space.noise([0.0, 1.0], [1e-9, 1.0])[:, 0, 0], [0.3, 0.0])


def test_steps_backwards_in_time_are_refused():
    with pytest.raises(ValueError, match="backwards"):
        OrnsteinUhlenbeck(1, 1).state_space().transition([1.0], [0.5])


def test_unresolved_markov_kernels_have_no_state_space_yet():
    with pytest.raises(ValueError, match=r"no value for variance, length_scale"):
        OrnsteinUhlenbeck().state_space()
    assert (OrnsteinUhlenbeck(1, 1) * Periodic(1, 1, 1)).state_space() is None
