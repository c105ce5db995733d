package org.vramkit.sim.replay;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.vramkit.sim.thread.WorkerThreads;

/** The host threads of a recorded program, held weakly. */
final class RecordedThreads {
  private record Living(int number, WeakReference<Thread> thread) {
    boolean isOver() {
      Thread alive = thread.get();
      return alive == null || !alive.isAlive();
    }
  }

  private final Map<Long, Integer> numbers = new HashMap<>();
  private final List<ProgramThread> threads = new ArrayList<>();
  private final List<Living> living = new ArrayList<>();

  /** Returns the number of the calling thread, from 0 in the order of first calls. */
  int current() {
    Thread caller = Thread.currentThread();
    return numbers.computeIfAbsent(
        caller.getId(),
        id -> {
          threads.add(new ProgramThread(caller.getName(), WorkerThreads.include(caller)));
          living.add(new Living(threads.size() - 1, new WeakReference<>(caller)));
          return threads.size() - 1;
        });
  }

  /** Returns whether no other thread has made a call. */
  boolean isAlone() {
    return numbers.isEmpty()
        || (numbers.size() == 1 && numbers.containsKey(Thread.currentThread().getId()));
  }

  List<ProgramThread> all() {
    return threads;
  }

  /** Passes the number of each thread that has ended to {@code ended}, once. */
  void forEachEnded(IntConsumer ended) {
    if (living.size() > 1) {
      for (Iterator<Living> it = living.iterator(); it.hasNext(); ) {
        Living each = it.next();
        if (each.isOver()) {
          it.remove();
          ended.accept(each.number());
        }
      }
    }
  }
}
