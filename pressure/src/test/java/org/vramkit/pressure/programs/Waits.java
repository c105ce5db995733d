package org.vramkit.pressure.programs;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimStream;

/** Lets streams and the host wait for streams, in random ways. One wait can be left out. */
final class Waits implements AutoCloseable {
  static final int NONE = -1;

  private final SimBackend backend;
  private final SplittableRandom random;
  private final int omitted;
  private final Map<SimDevice, SimEvent> kept = new HashMap<>();
  private int count;

  /**
   * @param omitted the number of the wait between streams that is left out, or {@link #NONE}
   */
  Waits(SimBackend backend, SplittableRandom random, int omitted) {
    this.backend = backend;
    this.random = random;
    this.omitted = omitted;
  }

  int count() {
    return count;
  }

  /** Lets a stream wait for the present work of another. */
  void order(SimStream later, SimStream earlier) {
    boolean isKept = random.nextBoolean();
    if (count++ == omitted) {
      return;
    }
    if (isKept) {
      order(later, earlier, keptEvent(earlier.getDevice()));
    } else {
      try (SimEvent event = earlier.getDevice().createEvent()) {
        order(later, earlier, event);
      }
    }
  }

  private static void order(SimStream later, SimStream earlier, SimEvent event) {
    event.record(earlier);
    later.waitFor(event);
  }

  /** Lets the host wait for the present work of a stream. */
  void await(SimStream stream) {
    switch (random.nextInt(3)) {
      case 0 -> stream.synchronize();
      case 1 -> {
        SimEvent event = keptEvent(stream.getDevice());
        event.record(stream);
        event.synchronize();
      }
      default -> {
        while (!stream.isIdle()) {
          backend.advance(1000);
        }
      }
    }
  }

  private SimEvent keptEvent(SimDevice device) {
    return kept.computeIfAbsent(device, SimDevice::createEvent);
  }

  @Override
  public void close() {
    kept.values().forEach(SimEvent::close);
  }
}
