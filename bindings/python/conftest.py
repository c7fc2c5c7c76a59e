"""What the examples in docstrings find."""

import provstream
import pytest

@pytest.fixture(autouse=True)
def _names(doctest_namespace: dict[str, object]) -> None:
    doctest_namespace["provstream"] = provstream
