package org.vramkit.bench.paced;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.Stream;
import org.vramkit.sim.SimBackend;
import org.vramkit.tools.trace.Trace;

/**
 * Replays passes of a recorded program. Each block is filled on its stream, to keep the stream
 * busy. Only the allocator's calls are timed, including about 25 ns for the clock. Simulated time
 * follows real time.
 */
final class Player implements AutoCloseable {
  /** Calls below this time, in nanoseconds, are assumed to contain no garbage collection. */
  private static final long PERHAPS_COLLECTED = 20_000;

  private final Trace trace;
  private final Device device;
  private final double pace;
  private final @Nullable SimBackend simulated;
  private final List<Stream> streams = new ArrayList<>();
  private final long busyBytes;

  /** By stream: address of additional memory to fill; empty without additional work. */
  private final List<Long> busy = new ArrayList<>();

  private final @Nullable Allocation[] live;
  private final CollectionCount collector = new CollectionCount();

  /** Keeps the device current on this thread, as programs that launch kernels do. */
  private final DeviceBinding current;

  /**
   * Creates a player with its own streams.
   *
   * @param pace factor of recorded times: 1 as recorded, 0 without waits
   * @param busyBytes additional bytes that a stream fills after each allocation
   */
  Player(Trace trace, Device device, double pace, long busyBytes) {
    this.trace = trace;
    this.device = device;
    this.pace = pace;
    this.simulated = device.getBackend() instanceof SimBackend simulator ? simulator : null;
    this.live = new Allocation[trace.getAllocationCount()];
    this.current = device.bind();
    this.busyBytes = busyBytes;
    while (streams.size() < trace.getStreamCount()) {
      streams.add(device.createStream());
      if (busyBytes > 0) {
        busy.add(device.getMemory().allocate(busyBytes));
      }
    }
  }

  /** Replays one pass, frees remaining blocks and synchronizes the device. */
  void play(Allocator allocator, CallTimes calls) {
    int events = trace.getEventCount();
    long virtualBegin = simulated == null ? 0 : simulated.getTimeNanos();
    long begin = System.nanoTime();
    for (int event = 0; event < events; event++) {
      await(begin, (long) (pace * trace.getNanos(event)));
      follow(virtualBegin + System.nanoTime() - begin);
      step(allocator, event, calls);
    }
    calls.addPass(System.nanoTime() - begin);
    for (int block = 0; block < live.length; block++) {
      Allocation left = live[block];
      if (left != null) {
        left.close();
        live[block] = null;
      }
    }
    device.synchronize();
  }

  /** Waits actively, so that the scheduler's wake-up latency does not matter. */
  private static void await(long begin, long nanos) {
    while (System.nanoTime() - begin < nanos) {
      Thread.onSpinWait();
    }
  }

  private void follow(long virtualNanos) {
    if (simulated != null && virtualNanos > simulated.getTimeNanos()) {
      simulated.advanceTo(virtualNanos);
    }
  }

  private void step(Allocator allocator, int event, CallTimes calls) {
    int block = trace.getAllocation(event);
    long collections = collector.getCollections();
    if (trace.isAllocation(event)) {
      Stream stream = streams.get(trace.getStream(block));
      long bytes = trace.getSize(block);
      long begin = System.nanoTime();
      Allocation made = allocator.allocate(bytes, stream);
      took(System.nanoTime() - begin, collections, calls);
      live[block] = made;
      if (bytes > 0) {
        stream.fill(made.getAddress(), (byte) 0, bytes);
      }
      if (busyBytes > 0) {
        stream.fill(busy.get(trace.getStream(block)), (byte) 0, busyBytes);
      }
    } else {
      Allocation freed = live[block];
      live[block] = null;
      if (freed == null) {
        throw new IllegalStateException(trace.getName() + " frees block " + block + " twice");
      }
      long begin = System.nanoTime();
      freed.close();
      took(System.nanoTime() - begin, collections, calls);
    }
  }

  private void took(long nanos, long collectionsBefore, CallTimes calls) {
    calls.add(nanos, nanos > PERHAPS_COLLECTED && collector.getCollections() != collectionsBefore);
  }

  @Override
  public void close() {
    streams.forEach(Stream::close);
    busy.forEach(device.getMemory()::free);
    current.close();
  }
}
