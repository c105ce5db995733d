package org.vramkit.sim.program;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/** The host threads of a program that is being recorded, held weakly. */
final class RecordedThreads {
  private record Living(int number, WeakReference<Thread> thread) {
    boolean isOver() {
      Thread alive = thread.get();
      return alive == null || !alive.isAlive();
    }
  }

  private final Map<Long, Integer> numbers = new HashMap<>();
  private final List<String> names = new ArrayList<>();
  private final List<Living> living = new ArrayList<>();

  /** The number of the calling thread, from 0 in the order of first calls. */
  int current() {
    Thread caller = Thread.currentThread();
    return numbers.computeIfAbsent(
        caller.getId(),
        id -> {
          names.add(caller.getName());
          living.add(new Living(names.size() - 1, new WeakReference<>(caller)));
          return names.size() - 1;
        });
  }

  /** Whether the calling thread is the only one that ever made a call, or the first. */
  boolean isAlone() {
    return numbers.isEmpty()
        || (numbers.size() == 1 && numbers.containsKey(Thread.currentThread().getId()));
  }

  List<String> names() {
    return names;
  }

  /** Tells of each thread that is over, once. */
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
