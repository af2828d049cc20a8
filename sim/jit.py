"""The only door to Numba: how compiled functions are declared, compiled, cached and passed around.

Three things about Numba shape this module (each is held by a test in ``tests/test_jit.py``):

* An explicit signature compiles when the decorator runs. So ``@rule`` only wraps; Numba is imported and a function
  compiled when it is first called, and importing a game costs nothing.
* The disk cache notices an edit of a function's own file only, never of the files it calls. So the cache folder is
  named by a hash of every source file that compiled code can come from (:func:`cache_folder`).
* Functions passed as plain arguments recompile the caller for every pair and are never cached. So strategies reach the
  batch loop as first-class functions of one explicit signature (:func:`first_class`), and the rules of a game are
  bound into the loop by name (:func:`bind`), where the compiler can inline them.

``NUMBA_DISABLE_JIT=1`` runs everything as plain Python, ``NUMBA_BOUNDSCHECK=1`` checks every index.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeVar, cast

import numpy as np

PROJECT = Path(__file__).resolve().parent.parent
COMPILED_FROM = (PROJECT / "sim", PROJECT / "strategies")
UNUSED_DAYS = 30  # a cache folder that nobody has used for so long belongs to a version that is gone

F = TypeVar("F", bound=Callable[..., Any])


class Rule:
    """A function that is compiled when it is first used, by Python or by another compiled function.

    Attributes
    ----------
    function : callable
        The plain Python function.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self.__wrapped__ = function
        self._compiled: Any = None

    @property
    def compiled(self) -> Any:
        """Numba's dispatcher, or the plain function where compiling is switched off."""
        if self._compiled is None:
            self._compiled = _compile(self.function)
        return self._compiled

    @property
    def _numba_type_(self) -> Any:
        """What Numba asks of a global that it meets in compiled code: here, the dispatcher's type."""
        return self.compiled._numba_type_

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function."""
        return self.compiled(*arguments)

    def __repr__(self) -> str:
        return f"<rule {self.__module__}.{self.__name__}>"


def rule(function: F) -> F:
    """Declare a function of the compiled core. Registers only; compiles at first use."""
    return cast(F, Rule(function))


def bind(template: Any, functions: dict[str, Any]) -> Rule:
    """Make a compiled function from a template whose free names are a game's own functions.

    Parameters
    ----------
    template : function
        Plain Python function that calls the names of ``functions`` as globals.
    functions : dict
        What those names stand for: rules of one game.

    Notes
    -----
    A closure would read better, but Numba never caches closures. Two games share one cache index without harm, since
    their signatures differ in the state's type.
    """
    bound = FunctionType(template.__code__, {**template.__globals__, **functions}, template.__name__)
    bound.__doc__ = template.__doc__
    bound.__module__ = template.__module__
    bound.__qualname__ = template.__qualname__
    return Rule(bound)


def first_class(function: Any, signature: Any) -> Any:
    """Compile a rule for exactly one signature, so that it can be passed to compiled code as a value.

    Parameters
    ----------
    function : Rule
        What to compile.
    signature
        A Numba signature, as ``result_type(*argument_types)`` gives it.

    Notes
    -----
    Numba lets functions share a tuple only if each has a single signature and can get no other; so this one is compiled
    apart from the rule itself, which may be called with anything.
    """
    return _compile(function.function, signature)


def compile_for(function: Any, *arguments: Any) -> None:
    """Compile a rule for the given argument types now, instead of at the first call."""
    if not jit_disabled():
        function.compiled.compile(tuple(arguments))


def lowest_bit(mask: int) -> int:
    """Position of the lowest set bit of a positive mask: int64. One machine instruction in compiled code."""
    return (int(mask) & -int(mask)).bit_length() - 1


def count_bits(mask: int) -> int:
    """Number of set bits of a mask 0 … 2⁶³ − 1: int64. One machine instruction in compiled code."""
    return int(mask).bit_count()


@cache
def numba() -> ModuleType:
    """Import Numba, once and quietly, and teach it the two bit functions above."""
    import numba as module
    from numba import extending, types
    from numba.core.errors import NumbaExperimentalFeatureWarning

    # First-class functions are marked experimental; we pin Numba's version and test them.
    warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)

    def instruction(name: str, *flags: bool) -> Any:
        @extending.intrinsic
        def machine(typing_context, mask):  # type: ignore[no-untyped-def]
            def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
                constants = [context.get_constant(types.boolean, flag) for flag in flags]
                return getattr(builder, name)(*arguments, *constants)

            return types.int64(types.int64), generate

        return machine

    lowest, count = instruction("cttz", True), instruction("ctpop")
    extending.overload(lowest_bit)(lambda mask: lambda mask: lowest(np.int64(mask)))
    extending.overload(count_bits)(lambda mask: lambda mask: count(np.int64(mask)))
    return module


def numba_type(dtype: Any) -> Any:
    """Give the Numba type of a NumPy dtype (a record for a structured one)."""
    return numba().from_dtype(dtype)


def jit_disabled() -> bool:
    """Tell whether ``NUMBA_DISABLE_JIT`` asks for plain Python."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def cache_root() -> Path:
    """Name the folder that keeps compiled code: ``$HAKARI_CACHE``, or ``hakari`` in the user's cache folder."""
    if chosen := os.environ.get("HAKARI_CACHE"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hakari"


def cache_folder(source: Path) -> Path:
    """Name the cache folder for code compiled from a file, by everything that the file may call.

    A file of ``sim/`` calls only ``sim/``; anything else (a strategy) may call ``sim/``, ``strategies/`` and itself.
    So an edited strategy does not recompile the games.
    """
    simulator, strategies = COMPILED_FROM
    if source.is_relative_to(simulator):
        return cache_root() / digest((simulator,))
    if source.is_relative_to(strategies):
        return cache_root() / digest((simulator, strategies))
    return cache_root() / digest((simulator, strategies, source))


@cache
def _keep(folder: Path) -> None:
    """Note that a cache folder is in use, and delete its neighbours that have not been for long."""
    with suppress(OSError):  # what cannot be tidied costs disk, not results
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        for other in folder.parent.iterdir():
            unused = time.time() - other.stat().st_mtime
            if re.fullmatch("[0-9a-f]{16}", other.name) and unused > UNUSED_DAYS * 24 * 3600:
                shutil.rmtree(other, ignore_errors=True)


@cache
def digest(places: tuple[Path, ...]) -> str:
    """Hash the Python sources below some folders (or single files): names and bytes, in a fixed order."""
    total = hashlib.sha256()
    for path in _sources(places):
        total.update(f"{path.name}\0{path.stat().st_size}\0".encode())
        total.update(path.read_bytes())
    return total.hexdigest()[:16]


def _sources(places: Iterable[Path]) -> list[Path]:
    found: list[Path] = []
    for place in places:
        found += sorted(place.rglob("*.py")) if place.is_dir() else [place]
    return found


def _compile(function: Callable[..., Any], *signature: Any) -> Any:
    if jit_disabled():
        return function
    module = numba()
    # Numba reads the folder when a dispatcher is made, so it is set for each function.
    folder = cache_folder(Path(function.__code__.co_filename).resolve())
    module.config.CACHE_DIR = str(folder)
    _keep(folder)
    # error_model="numpy": no hidden exceptions in compiled code; kernels report status codes instead.
    return module.njit(*signature, cache=True, nogil=True, error_model="numpy")(function)
