"""Types of NumPy arrays; importing them does not import NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]
    Bools: TypeAlias = npt.NDArray[np.bool_]
    Indices: TypeAlias = npt.NDArray[np.intp]
else:  # no strings, which Python 3.10 cannot evaluate within other types of overriding methods
    Floats = Bools = Indices = Any
