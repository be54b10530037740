"""Link kernels into the entry that calls them, and optimise all of them once, through internals of Numba.

By default, Numba optimises every kernel, and again for each kernel that calls it. In a chain of calls five
deep, it compiles the innermost kernel five times. Here only an entry, which Python calls, is optimised and
translated to machine code, together with all kernels it calls.
"""

import gc
from typing import Any

from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering


def linked_kernel(function: Any, options: dict[str, Any]) -> Any:
    """Compile a kernel to code for linking."""
    return KernelDispatcher(function, targetoptions=options, pipeline_class=KernelCompiler)


def linking_entry(function: Any, options: dict[str, Any]) -> Any:
    """Compile an entry with the kernels that it calls."""
    return EntryDispatcher(function, targetoptions=options, pipeline_class=EntryCompiler)


class KernelDispatcher(CPUDispatcher):  # type: ignore[misc]
    """Compile a kernel once for all whole numbers: literals and 32 bits become 64 bits at the call.

    While Numba infers a caller's types, a future int64 is a literal 0 or an int32 at first. Without this
    class, a kernel was compiled for each of these, up to fourteen times.
    """

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Choose the version of the kernel for a call."""
        return super().get_call_template(tuple(map(_widened, args)), kws)


def _widened(kind: Any) -> Any:
    plain = types.unliteral(kind)
    return types.int64 if isinstance(plain, types.Integer) else plain


class EntryDispatcher(CPUDispatcher):  # type: ignore[misc]
    """Compile an entry with garbage collection paused, which would take a seventh of the time."""

    def compile(self, sig: Any) -> Any:
        """Compile for these argument types, or load what was compiled before."""
        # The lock under which Numba compiles: else the first thread to end would resume collection for all.
        with global_compiler_lock:
            collecting = gc.isenabled()
            gc.disable()
            try:
                return super().compile(sig)
            finally:
                if collecting:
                    gc.enable()


class KernelLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel, as Numba generates it, for linking into an entry."""

    def finalize(self) -> None:
        """Leave linking, optimisation and machine code to the entry."""
        self._finalized = True


class EntryLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of an entry and of all kernels that it calls."""

    _linking_libraries: list[Any]

    def finalize(self) -> None:
        """Link each kernel once, and optimise all of them together."""
        libraries = list(dict.fromkeys(self._linking_libraries))
        self._linking_libraries = [one for one in libraries if not isinstance(one, KernelLibrary)]
        for library in libraries:
            if isinstance(library, KernelLibrary):
                self._final_module.link_in(library._final_module, preserve=True)
        for library in libraries:
            if isinstance(library, KernelLibrary):
                for function in library._final_module.functions:
                    if not function.is_declaration:
                        # Nothing else calls it, so a function that is inlined everywhere needs no own code.
                        self._final_module.get_function(function.name).linkage = "internal"
        super().finalize()


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(NativeLowering):  # type: ignore[misc]
    """Generate the code of a kernel for its callers only."""

    _name = "p2ce_kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower the kernel, and make it known to its callers."""
        state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        state.library.finalize()
        # Callers find a kernel by its entry point. Any unique object will do: here, a built-in method.
        state["cr"] = state["cr"]._replace(cfunc=[].append)
        # A caller needs the code of the kernel, and of everything that the kernel calls.
        below = list(dict.fromkeys([state.library, *state.library._linking_libraries]))
        state.targetctx.insert_user_function(state["cr"].cfunc, state["cr"].fndesc, below)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class EntryLowering(NativeLowering):  # type: ignore[misc]
    """Generate the code of an entry, with that of its kernels."""

    _name = "p2ce_entry_lowering"

    def run_pass(self, state: Any) -> bool:
        """Lower the entry and compile it."""
        state.library = EntryLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


class _Compiler(CompilerBase):  # type: ignore[misc]
    """Numba's compiler with another lowering."""

    lowering: type[NativeLowering]

    def define_pipelines(self) -> list[Any]:
        """Return the usual passes, with one replaced."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (self.lowering, name) if one is NativeLowering else (one, name) for one, name in passes.passes
        ]
        passes.finalize()
        return [passes]


class KernelCompiler(_Compiler):
    """The compiler of a kernel."""

    lowering = KernelLowering


class EntryCompiler(_Compiler):
    """The compiler of an entry."""

    lowering = EntryLowering
