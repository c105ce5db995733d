package org.vramkit.cuda.driver;

/** Events of the current context. */
public interface EventCalls {

  /** {@code CU_EVENT_BLOCKING_SYNC}: a thread that waits for it sleeps instead of spinning. */
  int BLOCKING_SYNC = 1;

  /** {@code CU_EVENT_DISABLE_TIMING}: cheaper to record and to ask. */
  int DISABLE_TIMING = 2;

  /** A new event. */
  int cuEventCreate(Handle[] event, int flags);

  /** Marks the end of a stream's work so far. */
  int cuEventRecord(Handle event, Handle stream);

  /** 0 if the mark is passed or there is none, {@code CUDA_ERROR_NOT_READY} if not. */
  int cuEventQuery(Handle event);

  /** Waits until the mark is passed. */
  int cuEventSynchronize(Handle event);

  /** Destroys it; waits on it that were submitted stay valid. */
  int cuEventDestroy(Handle event);
}
