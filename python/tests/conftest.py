"""What the tests of the package have in common. They run over `affirm` as it is installed, or over PYTHONPATH=build/python."""

import os

import pytest

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

pytest_plugins = ["pytester"]


def pytest_configure(config):
    try:
        import affirm._native  # noqa: F401
    except ImportError as error:
        pytest.exit(f"{error}: `pip install .`, or `./dev build` and PYTHONPATH=build/python", returncode=4)
    # An installed package registers the plugin by its entry point.
    if not config.pluginmanager.has_plugin("affirm"):
        import affirm.pytest_plugin

        config.pluginmanager.register(affirm.pytest_plugin, "affirm")
    import hypothesis

    # Without a seed of its own each run, so that a failure is one tomorrow too; HYPOTHESIS_PROFILE=wide draws others, and more.
    hypothesis.settings.register_profile("same", derandomize=True, deadline=None, max_examples=60,
                                         suppress_health_check=list(hypothesis.HealthCheck))
    hypothesis.settings.register_profile("wide", deadline=None, max_examples=2000, suppress_health_check=list(hypothesis.HealthCheck))
    hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
