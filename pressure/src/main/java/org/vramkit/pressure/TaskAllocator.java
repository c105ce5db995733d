package org.vramkit.pressure;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;

/**
 * Allocates for one task of a {@link Retry}: waits for other tasks, and closes allocations of
 * rolled-back attempts.
 */
final class TaskAllocator extends ForwardingAllocator {
  private final RetryTasks tasks;
  private final RetryTask task;

  /** The open allocations of the current attempt; guarded by this. */
  private final Set<HeldAllocation> attempt = Collections.newSetFromMap(new IdentityHashMap<>());

  /** The open allocations of completed pieces; guarded by this. */
  private final Set<HeldAllocation> results = Collections.newSetFromMap(new IdentityHashMap<>());

  private volatile boolean ended;

  TaskAllocator(Allocator upstream, RetryTasks tasks, RetryTask task) {
    super(upstream, tasks.lock);
    this.tasks = tasks;
    this.task = task;
  }

  @Override
  Allocation take(long bytes, long alignment, Stream stream) {
    while (true) {
      if (ended) {
        throw new ClosedException(
            this, "its task has ended", "allocate inside of the function of the task");
      }
      long seen = tasks.getCloses();
      try {
        return takeUpstream(bytes, alignment, stream);
      } catch (DeviceOutOfMemoryException e) {
        if (isTooLarge(bytes)) {
          tasks.mustSplit(task);
          throw e;
        }
        tasks.awaitClose(task, seen, e);
      }
    }
  }

  /** Returns whether no close of another task could serve a request. */
  boolean isTooLarge(long bytes) {
    return bytes > Math.min(getDevice().getProperties().totalMemoryBytes(), getLimit());
  }

  @Override
  synchronized void allocated(HeldAllocation allocation) {
    attempt.add(allocation);
  }

  @Override
  synchronized void closed(HeldAllocation allocation) {
    attempt.remove(allocation);
    results.remove(allocation);
  }

  @Override
  void released(long bytes) {
    if (bytes > 0) {
      tasks.closed();
    }
  }

  /** Keeps the open allocations of a piece as part of its result. */
  synchronized void checkpoint() {
    results.addAll(attempt);
    attempt.clear();
  }

  /** Closes the allocations of the current attempt. */
  void rollBack() {
    closeAll(attempt);
  }

  /** Ends the task; its open allocations belong to its results. */
  void end() {
    ended = true;
  }

  /** Ends a failed task, and closes all its allocations. */
  void fail() {
    try {
      end();
      Batch.run(() -> closeAll(attempt), () -> closeAll(results));
    } catch (VirtualMachineError | LinkageError e) {
      lock.brokenBy = e;
      throw e;
    }
  }

  private void closeAll(Set<HeldAllocation> held) {
    List<HeldAllocation> all;
    synchronized (this) {
      all = new ArrayList<>(held);
    }
    Batch.forEach(all, HeldAllocation::close);
  }

  @Override
  public String toString() {
    return "memory of task \"" + task.name + "\"";
  }
}
