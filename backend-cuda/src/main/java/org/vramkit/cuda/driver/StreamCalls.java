package org.vramkit.cuda.driver;

/** Calls about streams of the current context. */
public interface StreamCalls {

  /** {@code CU_STREAM_DEFAULT}: ordered with the legacy default stream. */
  int BLOCKING = 0;

  /** {@code CU_STREAM_NON_BLOCKING}: not ordered with the legacy default stream. */
  int NON_BLOCKING = 1;

  /** {@code CU_STREAM_LEGACY}: a handle of the legacy default stream, as is 0. */
  long LEGACY = 1;

  /** {@code CU_STREAM_PER_THREAD}: a different stream on each thread. */
  long PER_THREAD = 2;

  /** Returns the handle of the legacy default stream of the current context. */
  Handle getDefaultStream();

  /** Creates a stream. */
  int cuStreamCreate(Handle[] stream, int flags);

  /** Returns 0 if all work of a stream is complete, otherwise {@code CUDA_ERROR_NOT_READY}. */
  int cuStreamQuery(Handle stream);

  /** Waits for the work of a stream. */
  int cuStreamSynchronize(Handle stream);

  /** Orders the stream's later work after an event. */
  int cuStreamWaitEvent(Handle stream, Handle event);

  /** Destroys a stream once its work is complete; does not wait. */
  int cuStreamDestroy(Handle stream);
}
