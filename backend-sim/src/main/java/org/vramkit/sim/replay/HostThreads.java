package org.vramkit.sim.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.vramkit.sim.program.Program;
import org.vramkit.sim.schedule.ChoiceException;

/**
 * Stands in for the host threads of a program: each has a thread of its own with the recorded name,
 * so that whoever tells threads apart sees the same ones. Only one of them runs at a time, in the
 * order of steps. A program of one thread runs on the caller's.
 */
final class HostThreads implements AutoCloseable {
  private final List<ExecutorService> threads = new ArrayList<>();

  HostThreads(Program program) {
    if (program.threads().size() > 1) {
      program.threads().forEach(name -> threads.add(thread(name)));
    }
  }

  private static ExecutorService thread(String name) {
    return Executors.newSingleThreadExecutor(
        task -> {
          Thread thread = new Thread(task, name);
          thread.setDaemon(true);
          return thread;
        });
  }

  /** Makes a call by a thread and waits for it. */
  <T> T call(int thread, Supplier<T> call) {
    if (threads.isEmpty()) {
      return call.get();
    }
    Future<T> result = threads.get(thread).submit(call::get);
    try {
      return result.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ChoiceException schedule) {
        throw schedule;
      }
      throw new IllegalStateException("a step failed as no call to the simulator does", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while a program ran; run it again", e);
    }
  }

  @Override
  public void close() {
    threads.forEach(ExecutorService::shutdown);
  }
}
