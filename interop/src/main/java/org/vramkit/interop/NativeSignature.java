package org.vramkit.interop;

import org.vramkit.api.Experimental;

/** Signatures of the functions that a library takes. */
@Experimental
public enum NativeSignature {
  /**
   * {@code void* alloc(size_t bytes)} and {@code void free(void* memory)}: ONNX Runtime's {@code
   * gpu_external_alloc} and {@code gpu_external_free}, and what most C libraries take. All memory
   * is of one stream, on which the library has to work.
   */
  SIZE,

  /**
   * {@code void* alloc(ssize_t bytes, int device, cudaStream_t stream)} and {@code void free(void*
   * memory, ssize_t bytes, int device, cudaStream_t stream)}: PyTorch's pluggable allocator. Memory
   * is of the stream that comes with the call.
   */
  SIZE_DEVICE_STREAM
}
