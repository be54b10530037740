"""Compile kernels, and keep the compiled code on disk.

Kernels are serial Numba, cached, compiled lazily. They allocate nothing and have no reference counts
(`_nrt=False`, a private option of Numba, with a measured reason: it more than halved the running time); only
entry points have Python wrappers. Records instead of many arrays compile faster. Numba optimises every
kernel, and all kernels below it again; here only entry points are optimised, with their kernels linked in,
and whole numbers are widened at calls, so that no kernel is compiled for several widths: the first
explanation takes a third of the processor time. This uses internals of Numba for the versions that it was
tried with; others compile the usual way.

The cache is our own, behind Numba's dispatchers, one file for each kernel and types of arguments. Its
checksum covers the code and what it was made from: Numba unpickles before it compares, fails for good on a
damaged file, and would load the code of an entry although a kernel in another file has changed. What lies in
the folders of compiled kernels runs, so they are chosen by owner and mode.
"""
