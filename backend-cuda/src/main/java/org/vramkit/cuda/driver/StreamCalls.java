package org.vramkit.cuda.driver;

/** Streams of the current context. */
public interface StreamCalls {

  /** {@code CU_STREAM_DEFAULT}: ordered with the legacy default stream. */
  int BLOCKING = 0;

  /** {@code CU_STREAM_NON_BLOCKING}. */
  int NON_BLOCKING = 1;

  /** {@code CU_STREAM_LEGACY}: another name of the legacy default stream, as is 0. */
  long LEGACY = 1;

  /** {@code CU_STREAM_PER_THREAD}: for the driver another stream on each thread. */
  long PER_THREAD = 2;

  /** The legacy default stream of whatever context is current. */
  Handle getDefaultStream();

  /** A new stream. */
  int cuStreamCreate(Handle[] stream, int flags);

  /** 0 if all its work is done, {@code CUDA_ERROR_NOT_READY} if not. */
  int cuStreamQuery(Handle stream);

  /** Waits for its work. */
  int cuStreamSynchronize(Handle stream);

  /** Orders the stream's later work after an event. */
  int cuStreamWaitEvent(Handle stream, Handle event);

  /** Destroys it once its work is done; does not wait. */
  int cuStreamDestroy(Handle stream);
}
