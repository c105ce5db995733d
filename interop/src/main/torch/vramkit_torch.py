"""Lets PyTorch allocate from Vramkit, through libvramkit_torch.so."""
import ctypes
import warnings

JVM_OPTIONS = [
    "--enable-native-access=ALL-UNNAMED",
    # Python handles Ctrl-C.
    "-Xrs",
    # The Java heap holds a few hundred bytes for each tensor, and one thread at a time allocates.
    "-XX:+UseSerialGC",
    "-Xmx256m",
    # Between two calls the program evicts the addresses of the JVM's code and data from the TLB.
    "-XX:+UseTransparentHugePages",
]
FIGURES = ["requested", "requestedPeak", "reserved", "reservedPeak", "allocations"]


def install(library, libjvm, class_path, jvm_options=(), device=0):
    """Makes PyTorch allocate a device's memory from Vramkit; call it before the first use of CUDA.

    library: path of libvramkit_torch.so
    libjvm: path of lib/server/libjvm.so of a JDK or JRE 22 or newer
    class_path: the jars of api, pool, backend-cuda, backend-ffm and interop, separated by colons
    jvm_options: further options of the JVM, such as -Dvramkit.allocator.limit=50%
    Returns a function that reads the allocator's figures, in bytes, as a dictionary.
    """
    import torch

    shim = ctypes.CDLL(library)
    shim.vramkit_start.restype = ctypes.c_char_p
    options = [f"-Djava.class.path={class_path}", *JVM_OPTIONS, *jvm_options]
    texts = (ctypes.c_char_p * len(options))(*(each.encode() for each in options))
    failure = shim.vramkit_start(libjvm.encode(), texts, len(options), device)
    if failure:
        raise RuntimeError(failure.decode(errors="replace"))

    allocator = torch.cuda.memory.CUDAPluggableAllocator(library, "vramkit_allocate", "vramkit_free")
    for setter, function, without in [
        ("set_record_stream_fn", shim.vramkit_record_stream, "wait for other streams yourself before tensors are freed"),
        ("set_reset_fn", shim.vramkit_empty_cache, "torch.cuda.empty_cache() has no effect"),
    ]:
        if hasattr(allocator.allocator(), setter):
            getattr(allocator.allocator(), setter)(ctypes.cast(function, ctypes.c_void_p).value)
        else:
            warnings.warn(f"this PyTorch has no {setter}: {without}")
    torch.cuda.memory.change_current_allocator(allocator)

    def statistics():
        figures = (ctypes.c_int64 * len(FIGURES))()
        shim.vramkit_statistics(figures)
        return dict(zip(FIGURES, figures))

    return statistics
