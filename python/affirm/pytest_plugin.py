"""The plugin of pytest: the fixture `assert_affirmed`, and `--affirm-target`.

    def test_softmax(assert_affirmed):
        assert_affirmed(jax.nn.softmax, jnp.ones((8, 100)))

With `--affirm-target h100` (or a100, b200, cpu) each such function is compiled by XLA too, and each pass and each kernel of that is checked.
"""

from __future__ import annotations

import functools
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    from affirm.targets import TARGETS

    parser.getgroup("affirm").addoption("--affirm-target", choices=list(TARGETS), default=None,
                                        help="check what XLA makes of functions for this target, too")


@pytest.fixture
def assert_affirmed(request: pytest.FixtureRequest) -> Any:
    """`affirm.assert_affirmed`; the target is that of the command line where the test names none."""
    from affirm.assertions import assert_affirmed as check

    target = request.config.getoption("--affirm-target", default=None)
    return functools.partial(check, target=target) if target else check
