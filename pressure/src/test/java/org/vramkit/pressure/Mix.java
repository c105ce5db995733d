package org.vramkit.pressure;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.sim.SimBackend;

/**
 * Random jobs that share a device. They arrive, wait in line, hold their memory for some virtual
 * time, and end. A single thread makes runs reproducible.
 */
final class Mix {
  private static final int MOST_JOBS = 40;
  private static final long LONGEST = 1_000_000;

  /** One job; times in virtual nanoseconds. */
  private static final class Job {
    final long bytes;
    final long arrival;
    final long duration;
    final int priority;
    final List<Allocation> blocks = new ArrayList<>();
    long bound;
    long start = -1;
    int number;
    @Nullable Grant grant;

    Job(long bytes, long arrival, long duration, int priority) {
      this.bytes = bytes;
      this.arrival = arrival;
      this.duration = duration;
      this.priority = priority;
    }

    boolean isBefore(Job other) {
      return priority > other.priority || (priority == other.priority && number < other.number);
    }

    long end() {
      return start + duration;
    }
  }

  private final SimBackend gpu;
  private final long capacity;
  private final List<Job> jobs = new ArrayList<>();
  private final SplittableRandom random;

  Mix(long seed, SimBackend gpu, long capacity) {
    this.gpu = gpu;
    this.capacity = capacity;
    this.random = new SplittableRandom(seed);
    int count = 10 + random.nextInt(MOST_JOBS - 9);
    // In some mixes all jobs arrive at once, in others over the time that the device needs for
    // them.
    long spread = random.nextBoolean() ? 1 : 1 + random.nextLong(count * LONGEST / 4);
    double largest = 0.2 + 0.8 * random.nextDouble();
    int priorities = random.nextBoolean() ? 1 : 3;
    for (int i = 0; i < count; i++) {
      double share = largest * Math.pow(random.nextDouble(), 1 + random.nextInt(3));
      jobs.add(
          new Job(
              Math.max(1, (long) (share * capacity)),
              random.nextLong(spread),
              1 + random.nextLong(LONGEST),
              random.nextInt(priorities)));
    }
    jobs.sort(Comparator.comparingLong(job -> job.arrival));
    jobs.forEach(job -> job.number = jobs.indexOf(job));
  }

  /**
   * Runs all jobs.
   *
   * @return the average use of memory relative to the best packing that knows all jobs in advance
   */
  double run(Admission gate) {
    long begin = gpu.getTimeNanos();
    PriorityQueue<Job> running = new PriorityQueue<>(Comparator.comparingLong(Job::end));
    List<Job> waiting = new ArrayList<>();
    int next = 0;
    long now = 0;
    while (next < jobs.size() || !running.isEmpty()) {
      long arrival = next < jobs.size() ? jobs.get(next).arrival : Long.MAX_VALUE;
      long end = running.isEmpty() ? Long.MAX_VALUE : running.peek().end();
      now = Math.min(arrival, end);
      gpu.advanceTo(begin + now);
      if (end <= arrival) {
        end(running.remove());
      } else {
        arrive(gate, jobs.get(next++), now, running, waiting);
      }
      for (Job job : List.copyOf(waiting)) {
        if (job.grant != null) {
          waiting.remove(job);
          start(job, now);
          running.add(job);
        }
      }
    }
    assertEquals(0, waiting.size(), "still waiting");
    for (Job job : jobs) {
      long waited = job.start - job.arrival;
      assertTrue(waited <= job.bound, "waited " + waited + " of at most " + job.bound);
    }
    return (double) Math.min(now, bestOffline()) / now;
  }

  /**
   * Bounds the job's wait by the running jobs and those before it in line, one after the other, and
   * extends the bound of jobs that this demand precedes by its priority.
   */
  private static void arrive(
      Admission gate, Job job, long now, PriorityQueue<Job> running, List<Job> waiting) {
    waiting.add(job);
    long runs = running.stream().mapToLong(each -> each.end() - now).sum();
    for (Job each : waiting) {
      if (each == job || each.priority < job.priority) {
        long before =
            waiting.stream()
                .filter(other -> other != each && other.isBefore(each))
                .mapToLong(other -> other.duration)
                .sum();
        each.bound = now - each.arrival + runs + before;
      }
    }
    gate.acquireAsync(Demand.of("mixed", job.bytes).withPriority(job.priority))
        .thenAccept(grant -> job.grant = grant);
  }

  /** Allocates the whole demand in blocks of random sizes. */
  private void start(Job job, long now) {
    job.start = now;
    Allocator memory = requireNonNull(job.grant).getAllocator();
    long left = job.bytes;
    for (int blocks = 1 + random.nextInt(4); left > 0; blocks--) {
      long bytes = blocks <= 1 ? left : 1 + random.nextLong(left);
      job.blocks.add(memory.allocate(bytes));
      left -= bytes;
    }
  }

  private static void end(Job job) {
    job.blocks.forEach(Allocation::close);
    requireNonNull(job.grant).close();
  }

  /** Returns the earliest end of all jobs that list scheduling finds in several orders. */
  private long bestOffline() {
    return List.<Comparator<Job>>of(
            Comparator.comparingLong(job -> job.arrival),
            Comparator.comparingLong(job -> -job.bytes),
            Comparator.comparingLong(job -> -job.duration),
            Comparator.comparingDouble(job -> -(double) job.bytes * job.duration),
            Comparator.comparingLong(job -> -(job.arrival + job.duration)))
        .stream()
        .mapToLong(this::listSchedule)
        .min()
        .orElseThrow();
  }

  /** Starts jobs in an order as soon as they fit; returns the end of the last job. */
  private long listSchedule(Comparator<Job> order) {
    List<Job> left = new ArrayList<>(jobs);
    left.sort(order);
    PriorityQueue<long[]> ends = new PriorityQueue<>(Comparator.comparingLong(end -> end[0]));
    long free = capacity;
    long now = 0;
    long last = 0;
    while (!left.isEmpty()) {
      for (int i = 0; i < left.size(); i++) {
        Job job = left.get(i);
        if (job.arrival <= now && job.bytes <= free) {
          left.remove(i--);
          free -= job.bytes;
          ends.add(new long[] {now + job.duration, job.bytes});
          last = Math.max(last, now + job.duration);
        }
      }
      long time = now;
      long arrival =
          left.stream()
              .mapToLong(job -> job.arrival)
              .filter(at -> at > time)
              .min()
              .orElse(Long.MAX_VALUE);
      now = Math.min(arrival, ends.isEmpty() ? Long.MAX_VALUE : ends.peek()[0]);
      while (!ends.isEmpty() && ends.peek()[0] <= now) {
        free += ends.remove()[1];
      }
    }
    return last;
  }
}
