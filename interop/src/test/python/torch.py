"""Stands in for PyTorch, with as much of it as vramkit_torch.py calls."""
import ctypes
import types


class Native:
    """What PyTorch makes of the pointers; memory is taken and given back as PyTorch does."""

    def __init__(self, library, allocate, free):
        library = ctypes.CDLL(library)
        self.allocate = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p)((allocate, library))
        self.free = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p)((free, library))

    def set_record_stream_fn(self, pointer):
        self.record_stream = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(pointer)

    def set_reset_fn(self, pointer):
        self.empty_cache = ctypes.CFUNCTYPE(None)(pointer)


class CUDAPluggableAllocator:
    def __init__(self, library, allocate, free):
        self.native = Native(library, allocate, free)

    def allocator(self):
        return self.native


def change_current_allocator(allocator):
    cuda.current = allocator.allocator()


cuda = types.SimpleNamespace(
    memory=types.SimpleNamespace(CUDAPluggableAllocator=CUDAPluggableAllocator, change_current_allocator=change_current_allocator)
)
