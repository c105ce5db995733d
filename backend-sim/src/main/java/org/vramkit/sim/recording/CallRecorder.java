package org.vramkit.sim.recording;

import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.vramkit.api.Experimental;

/**
 * Hears of every call to a simulator, in the order in which these take effect. A call has a name,
 * such as {@code record-event}, and refers to things by their handles. One recorder is for one
 * simulator, under whose lock it is called.
 */
@Experimental
public interface CallRecorder {
  /** Notes whether a pool makes the next call of the calling thread. */
  void inPool(boolean inside);

  /**
   * Makes a call, and notes it with its end. The result is the handle or address of what it made,
   * of a question 1 for yes, else 0.
   */
  <T> T record(
      String call, Consumer<CallNote> operands, Supplier<T> action, ToLongFunction<T> result);

  /** Notes that something was asked for that is always there, and has the handle 0. */
  void get(String call, int device);

  /** Notes what happened by itself, before the call that is being made has any effect. */
  void note(String call, Consumer<CallNote> operands);

  /** Notes that the program stood still until work of the device let it go on. */
  void noteStandstill();

  /** Notes which threads have ended by now, before the latest call of the calling thread. */
  void noteEndedThreads();

  /** Returns whether no other thread than the calling one has made a call so far. */
  boolean isAlone();

  /**
   * Notes what a fault plan does to the work that the calling thread submits: it takes so much
   * longer, in virtual time, or never ends by itself.
   */
  void suffers(long delayNanos, boolean hangs);

  /** Notes that it is a fault plan that makes a call fail. */
  void refuses(RuntimeException thrown);

  /**
   * User's code in the work of the call that the calling thread makes: what it calls belongs to
   * that call.
   */
  Runnable body(Runnable work);
}
