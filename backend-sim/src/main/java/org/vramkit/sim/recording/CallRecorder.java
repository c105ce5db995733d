package org.vramkit.sim.recording;

import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.vramkit.api.Experimental;

/**
 * Receives every call to a simulator, in the order in which they take effect. A call has a name,
 * such as {@code record-event}, and refers to its operands by handle. One recorder serves one
 * simulator, which calls it under its lock.
 */
@Experimental
public interface CallRecorder {
  /** Sets whether the next call of the calling thread is made by a pool. */
  void inPool(boolean inside);

  /**
   * Makes a call, and records it with its operands and its result or exception. {@code result}
   * returns the handle or address that the call created, 1 for a positive query, else 0.
   */
  <T> T record(
      String call, Consumer<CallNote> operands, Supplier<T> action, ToLongFunction<T> result);

  /** Notes a request for an object that always exists and has the handle 0. */
  void get(String call, int device);

  /** Records an event that no call of the program caused, as if it came before the current call. */
  void note(String call, Consumer<CallNote> operands);

  /**
   * Records captured work, as {@link #note} does, whose accesses are known only when it runs. The
   * returned function takes the call and the accesses of each run, and adds those that the record
   * lacks.
   */
  BiConsumer<String, Consumer<CallNote>> noteOpen(String call, Consumer<CallNote> operands);

  /** Notes that all threads of the program waited until work of the device let one continue. */
  void noteStandstill();

  /** Notes which threads have ended before the latest call of the calling thread. */
  void noteEndedThreads();

  /** Returns whether only the calling thread has made calls so far. */
  boolean isAlone();

  /**
   * Notes a planned fault of the work that the calling thread submits: it takes {@code delayNanos}
   * longer in virtual time, or never ends by itself.
   */
  void suffers(long delayNanos, boolean hangs);

  /** Notes that a fault plan makes a call fail. */
  void refuses(RuntimeException thrown);

  /**
   * Wraps user code in the work of the current call. Calls that the code makes belong to that call.
   */
  Runnable body(Runnable work);
}
