"""Kinds of evidence weighed against each other."""

import numpy as np
from scipy.optimize import approx_fprime

from chronotope.dating.stack import PENALTY, fit_coefficients, holding_levels, posterior, quantiles

F, D, C = 3, 400, 12


def drawn(rng, beta):
    """Curves of which some are of no use, and dates drawn from what they say together."""
    curves = rng.normal(size=(F, D, C)).cumsum(axis=2)
    mass = posterior(curves, beta)
    return curves, np.array([rng.choice(C, p=row) for row in mass])


def test_coefficients_are_those_that_the_dates_were_drawn_with(rng):
    beta = np.array([0.7, 0.0, 0.2])
    found = fit_coefficients(*drawn(rng, beta))
    np.testing.assert_allclose(found, beta, rtol=0, atol=0.12)


def test_coefficients_are_at_the_optimum_and_never_negative(rng):
    curves, cell = drawn(rng, np.array([0.6, 0.0, 0.3]))
    curves[1] -= 0.5 * curves[0]  # evidence that would best be subtracted
    found = fit_coefficients(curves, cell)
    assert np.all(found >= 0.0)
    spread = (curves - curves.mean(axis=2, keepdims=True)).std(axis=(1, 2))

    def loss(beta):
        mass = posterior(curves, beta)
        return -np.log(mass[np.arange(D), cell]).mean() + 0.5 * PENALTY * ((beta * spread) ** 2).sum()

    slope = approx_fprime(found, loss, 1e-6)
    np.testing.assert_allclose(slope[found > 0], 0.0, rtol=0, atol=1e-3)
    assert np.all(slope[found == 0] > -1e-3)


def test_what_is_known_of_a_date_limits_it(rng):
    curves = rng.normal(size=(F, 2, C))
    known = np.where(np.arange(C) < 4, 0.0, -np.inf)
    mass = posterior(curves, np.ones(F), known)
    np.testing.assert_array_equal(mass[:, 4:], 0.0)
    np.testing.assert_allclose(mass.sum(axis=1), 1.0, rtol=1e-12, atol=0)


def test_quantiles_are_linear_in_a_cell():
    mass, edges = np.array([[0.0, 0.5, 0.5, 0.0], [1.0, 0.0, 0.0, 0.0]]), np.array([0.0, 1.0, 2.0, 4.0, 5.0])
    found = quantiles(mass, edges, np.array([0.25, 0.5, 0.75]))
    np.testing.assert_allclose(found, [[1.5, 2.0, 3.0], [0.25, 0.5, 0.75]], rtol=0, atol=1e-9)


def test_levels_hold_what_they_promise_on_the_documents_they_come_from(rng):
    mass = rng.dirichlet(np.full(40, 0.3), 2_000)
    cell = np.array([rng.choice(40, p=row) for row in mass**0.5 / (mass**0.5).sum(axis=1, keepdims=True)])
    wanted = np.array([0.5, 0.8, 0.95])
    levels = holding_levels(mass, cell, wanted)
    assert np.all(levels > wanted)
    below = np.cumsum(mass, axis=1)[np.arange(2_000), cell] - 0.5 * mass[np.arange(2_000), cell]
    held = [np.mean((below >= 0.5 - level / 2) & (below <= 0.5 + level / 2)) for level in levels]
    np.testing.assert_allclose(held, wanted, rtol=0, atol=0.01)
