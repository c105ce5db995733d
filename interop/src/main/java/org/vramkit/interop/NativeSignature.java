package org.vramkit.interop;

import org.vramkit.api.Experimental;

/** Signatures of a library's allocation functions. */
@Experimental
public enum NativeSignature {
  /**
   * {@code void* alloc(size_t bytes)} and {@code void free(void* memory)}, as in most C libraries
   * and in ONNX Runtime's {@code gpu_external_alloc} and {@code gpu_external_free}. All memory
   * belongs to one stream, which the library must use.
   */
  SIZE,

  /**
   * {@code void* alloc(ssize_t bytes, int device, cudaStream_t stream)} and {@code void free(void*
   * memory, ssize_t bytes, int device, cudaStream_t stream)}, as in PyTorch's pluggable allocator.
   * Memory belongs to the stream argument.
   */
  SIZE_DEVICE_STREAM
}
