"""Link kernels into the entry that calls them, and optimise all of them once, through internals of Numba.

By default, Numba optimises every kernel, and again for each kernel that calls it. In a chain of calls five
deep, it compiles the innermost kernel five times. Here only an entry, which Python calls, is optimised and
translated to machine code, together with all kernels it calls. What Numba would do for other kinds of code
is left out: see `UNUSED_PASSES`, `RememberedTypes` and `PlainLower`.
"""

import gc
from functools import cache
from typing import Any

import llvmlite.binding as llvm
from numba import config, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering
from numba.core.typing import Context

# The passes for what no kernel contains: closures, exceptions, array expressions, `with`, inlined functions.
UNUSED_PASSES = {
    "FindLiterallyCalls",
    "InlineClosureLikes",
    "InlineInlinables",
    "InlineOverloads",
    "LiteralPropagationSubPipelinePass",
    "LiteralUnroll",
    "MakeFunctionToJitFunction",
    "NopythonRewrites",
    "RewriteDynamicRaises",
    "WithLifting",
}
_results: dict[Any, Any] = {}  # (operator or built-in function, types of its arguments) → signature


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


def linking_branching_entry(function: Any, options: dict[str, Any]) -> Any:
    """Compile an entry with the kernels that it calls, and leave their loops as they are."""
    return EntryDispatcher(function, targetoptions=options, pipeline_class=BranchingCompiler)


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
                _results.clear()
                if collecting:
                    gc.enable()


class RememberedTypes(Context):  # type: ignore[misc]
    """Numba's typing context, which remembers the results of operators while an entry is compiled.

    Numba tries dozens of templates for every operator of every kernel, again and again. Without this class,
    that takes a tenth of the time.
    """

    def __init__(self, context: Context) -> None:
        self.__dict__ = context.__dict__  # another view of the same context

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """Return the signature of a call."""
        if kws or (isinstance(func, types.Type) and not isinstance(func, types.Function)):
            return super().resolve_function_type(func, args, kws)  # a kernel
        call = func, tuple(args)
        known = _results.get(call)
        if known is None:
            known = _results[call] = super().resolve_function_type(func, args, kws)
        return known


@cache
def _remembering(context: Context) -> RememberedTypes:
    """Return one view of a context, since Numba keeps what it builds for each."""
    return RememberedTypes(context)


class PlainLower(Lower):  # type: ignore[misc]
    """Generate code without reference counts: a variable needs none when it is overwritten or deleted."""

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:  # noqa: ARG002
        """Store a value, without loading the old one."""
        self._alloca_var(name, self.typeof(name))
        if name in self._singly_assigned_vars and not self._disable_sroa_like_opt:
            self._blk_local_varmap[name] = value
        else:
            self.builder.store(value, self.getvar(name))

    def delvar(self, name: str) -> None:
        """Do nothing."""


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


class BranchingLibrary(EntryLibrary):
    """The code of an entry that spends its time in branches, and little in the loops between them.

    Unrolling and vectorising these loops took a tenth of the time, and made no search faster.
    """

    def _optimize_final_module(self) -> None:
        tuning = llvm.create_pipeline_tuning_options(int(config.OPT))
        tuning.loop_unrolling = tuning.loop_vectorization = tuning.slp_vectorization = False
        passes = llvm.create_pass_builder(self._codegen._tm, tuning)
        passes.getModulePassManager().run(self._final_module, passes)


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(NativeLowering):  # type: ignore[misc]
    """Generate the code of a kernel for its callers only."""

    _name = "p2ce_kernel_lowering"
    lowering_class = PlainLower

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
    lowering_class = PlainLower
    library: type[EntryLibrary] = EntryLibrary

    def run_pass(self, state: Any) -> bool:
        """Lower the entry and compile it."""
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class BranchingLowering(EntryLowering):
    """Generate the code of a branching entry, with that of its kernels."""

    _name = "p2ce_branching_lowering"
    library = BranchingLibrary


class _Compiler(CompilerBase):  # type: ignore[misc]
    """Numba's compiler with another lowering, and without the passes for other kinds of code."""

    lowering: type[NativeLowering]

    def define_pipelines(self) -> list[Any]:
        """Return the passes."""
        self.state.typingctx = _remembering(self.state.typingctx)
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (self.lowering if one is NativeLowering else one, name)
            for one, name in passes.passes
            if one.__name__ not in UNUSED_PASSES
        ]
        passes.finalize()
        return [passes]


class KernelCompiler(_Compiler):
    """The compiler of a kernel."""

    lowering = KernelLowering


class EntryCompiler(_Compiler):
    """The compiler of an entry."""

    lowering = EntryLowering


class BranchingCompiler(_Compiler):
    """The compiler of a branching entry."""

    lowering = BranchingLowering
