package org.vramkit.partition.scatter;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

/**
 * Runs chunks in the simulator's virtual time, reproducibly. Time advances only when all assigned
 * chunks wait for their devices, and then until one of them is done. A device works on one chunk
 * after the other.
 */
final class VirtualClock implements ScatterClock, AutoCloseable {
  /** The work of a chunk from its submission on. */
  private static final class Work {
    final TileContext tile;
    final Stream stream;
    final long nanos;
    final double factor;
    boolean submitted;

    /** The expected end. Only its order matters; the simulator determines the actual time. */
    long end;

    /** One for each, so that a choice wakes no other thread. */
    final CountDownLatch chosen = new CountDownLatch(1);

    Work(TileContext tile, Stream stream, long nanos, double factor) {
      this.tile = tile;
      this.stream = stream;
      this.nanos = nanos;
      this.factor = factor;
    }

    int device() {
      return tile.getDevice().getOrdinal();
    }
  }

  private final SimBackend backend;
  private final Map<Stream, Work> pending = new HashMap<>();
  private final Map<Integer, Event> tails = new HashMap<>();
  private final Map<Integer, Long> ends = new HashMap<>();
  private int underWay;
  private int waiting;

  VirtualClock(SimBackend backend) {
    this.backend = backend;
  }

  /** Submits the work of a task, a kernel on its stream. */
  synchronized void launch(TileContext tile, long nanos, double expectedFactor) {
    Stream stream = tile.getStream();
    pending.put(stream, new Work(tile, stream, nanos, expectedFactor));
  }

  @Override
  public long nanoTime() {
    return backend.getTimeNanos();
  }

  @Override
  public boolean mayAssignWhileWaiting() {
    return false;
  }

  @Override
  public synchronized void assigned() {
    underWay++;
  }

  @Override
  public synchronized void ended() {
    underWay--;
    chooseNext();
  }

  @Override
  public void await(Stream stream) {
    Work work = startWaiting(stream);
    try {
      work.chosen.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    synchronized (this) {
      waiting--;
      pending.remove(stream);
    }
    stream.synchronize();
  }

  private synchronized Work startWaiting(Stream stream) {
    Work work = pending.get(stream);
    if (work == null) {
      throw new AssertionError("nothing was launched");
    }
    waiting++;
    chooseNext();
    return work;
  }

  private void chooseNext() {
    if (waiting == 0
        || waiting < underWay
        || pending.values().stream().anyMatch(work -> work.chosen.getCount() == 0)) {
      return;
    }
    List<Work> all = new ArrayList<>(pending.values());
    all.sort(Comparator.comparingInt(work -> work.tile.getIndex()));
    all.stream().filter(work -> !work.submitted).forEach(this::submit);
    Work first = all.stream().min(Comparator.comparingLong(work -> work.end)).orElseThrow();
    first.chosen.countDown();
  }

  private void submit(Work work) {
    @Nullable Event tail = tails.get(work.device());
    if (tail != null) {
      work.stream.waitFor(tail);
      tail.close();
    }
    ((SimStream) work.stream).launch(SimKernel.named("work").taking(work.nanos).build());
    Event next = work.tile.getDevice().createEvent();
    next.record(work.stream);
    tails.put(work.device(), next);
    long begin = Math.max(nanoTime(), ends.getOrDefault(work.device(), 0L));
    work.end = begin + (long) (work.nanos * work.factor);
    ends.put(work.device(), work.end);
    work.submitted = true;
  }

  @Override
  public synchronized void close() {
    tails.values().forEach(Event::close);
  }
}
