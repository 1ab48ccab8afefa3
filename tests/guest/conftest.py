"""What the tests of each case need of it: a run, a trace, its hosts. A test module imports its case as `case`."""

import pytest


@pytest.fixture(scope="module")
def outcome(request):
    return request.module.case.run()


@pytest.fixture(scope="module")
def traced(request):
    return request.module.case.trace()


@pytest.fixture(scope="module")
def net(request):
    with request.module.case.Network() as network:
        yield network
