package org.vramkit.sim;

import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.vramkit.sim.recording.CallNote;
import org.vramkit.sim.recording.CallRecorder;

/** Counts what a recorder is told of. */
final class CallCounter implements CallRecorder {
  int calls;

  @Override
  public void inPool(boolean inside) {
    // No call.
  }

  @Override
  public <T> T record(
      String call, Consumer<CallNote> operands, Supplier<T> action, ToLongFunction<T> result) {
    calls++;
    return action.get();
  }

  @Override
  public void get(String call, int device) {
    calls++;
  }

  @Override
  public void note(String call, Consumer<CallNote> operands) {
    calls++;
  }

  @Override
  public BiConsumer<String, Consumer<CallNote>> noteOpen(String call, Consumer<CallNote> operands) {
    calls++;
    return (same, accesses) -> {};
  }

  @Override
  public void noteStandstill() {
    calls++;
  }

  @Override
  public void noteEndedThreads() {
    // No call.
  }

  @Override
  public boolean isAlone() {
    return true;
  }

  @Override
  public void suffers(long delayNanos, boolean hangs) {
    // Belongs to a call.
  }

  @Override
  public void refuses(RuntimeException thrown) {
    // Belongs to a call.
  }

  @Override
  public Runnable body(Runnable work) {
    return work;
  }
}
