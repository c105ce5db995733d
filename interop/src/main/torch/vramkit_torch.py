"""PyTorch on Vramkit's memory, by way of libvramkit_torch.so."""
import ctypes
import warnings

JVM_OPTIONS = [
    "--enable-native-access=ALL-UNNAMED",
    # Ctrl-C stays Python's.
    "-Xrs",
    # The Java heap holds a few hundred bytes for each tensor, and one thread at a time allocates.
    "-XX:+UseSerialGC",
    "-Xmx256m",
    # Between two calls the program drives the JVM's code and data out of the caches of addresses.
    "-XX:+UseTransparentHugePages",
]
FIGURES = ["requested", "requestedPeak", "reserved", "reservedPeak", "allocations"]


def install(library, libjvm, class_path, jvm_options=(), device=0):
    """Makes PyTorch take the memory of a device from Vramkit; call it before the first use of CUDA.

    library: path of libvramkit_torch.so
    libjvm: path of lib/server/libjvm.so of a JDK or JRE from 22 on
    class_path: jars api, pool, backend-cuda, backend-ffm and interop, with colons between them
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
    for setter, function in {"set_record_stream_fn": shim.vramkit_record_stream, "set_reset_fn": shim.vramkit_empty_cache}.items():
        if hasattr(allocator.allocator(), setter):
            getattr(allocator.allocator(), setter)(ctypes.cast(function, ctypes.c_void_p).value)
        else:
            warnings.warn(f"this PyTorch has no {setter}: wait for other streams yourself before tensors are freed")
    torch.cuda.memory.change_current_allocator(allocator)

    def statistics():
        figures = (ctypes.c_int64 * len(FIGURES))()
        shim.vramkit_statistics(figures)
        return dict(zip(FIGURES, figures))

    return statistics
