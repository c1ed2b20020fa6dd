"""Is what XLA made of a JAX function right? Every pass and every kernel of the compilation, checked by `affirm xla`.

    >>> import affirm, jax, jax.numpy as jnp
    >>> result = affirm.check_jax(jax.nn.softmax, jax.ShapeDtypeStruct((8, 100), jnp.float32))  # for an H100; none is needed
    >>> result.verdict
    'proved'
    >>> print(result)  # a table of passes and kernels

`python -m affirm.jax module:function` does the same from a shell, `python -m affirm.watch DIR` for a program that dumps.
"""

from affirm.check import check_jax
from affirm.compiler import CompilerError
from affirm.result import Kernel, Pass, Result
from affirm.tool import AffirmError, check_dump

__all__ = ["AffirmError", "CompilerError", "Kernel", "Pass", "Result", "check_dump", "check_jax"]
