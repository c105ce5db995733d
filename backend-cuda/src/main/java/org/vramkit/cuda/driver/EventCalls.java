package org.vramkit.cuda.driver;

/** Calls about events of the current context. */
public interface EventCalls {

  /**
   * {@code CU_EVENT_BLOCKING_SYNC}: a thread that waits for the event sleeps instead of spinning.
   */
  int BLOCKING_SYNC = 1;

  /**
   * {@code CU_EVENT_DISABLE_TIMING}: the event measures no time, and is cheaper to record and to
   * query.
   */
  int DISABLE_TIMING = 2;

  /** Creates an event. */
  int cuEventCreate(Handle[] event, int flags);

  /** Records the end of a stream's work so far. */
  int cuEventRecord(Handle event, Handle stream);

  /**
   * Returns 0 if the recorded work is complete or nothing was recorded, otherwise {@code
   * CUDA_ERROR_NOT_READY}.
   */
  int cuEventQuery(Handle event);

  /** Waits until the recorded work is complete. */
  int cuEventSynchronize(Handle event);

  /** Destroys an event; waits that were submitted stay valid. */
  int cuEventDestroy(Handle event);
}
