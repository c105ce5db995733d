package org.vramkit.bench.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.hazard.CheckerOptions;

/**
 * An endless program without hazards. Like a pool, it allocates slots of one allocation in turn.
 * The owner's stream writes a slot, another stream waits and reads a part of it, and the slot is
 * freed once the owner's stream waits for the reader.
 */
final class SimulatedProgram implements AutoCloseable {
  /** An allocation, three launches, two event records, two waits and a free. */
  static final int OPERATIONS_PER_STEP = 9;

  private static final int STREAMS = 4;
  private static final int SLOTS = 1024;
  private static final long SLOT = ByteSize.MIB;

  private final SimBackend backend;
  private final SimDevice device;
  private final List<SimStream> streams = new ArrayList<>();
  private final List<SimEvent> events = new ArrayList<>();
  private final SplittableRandom random;
  private final long base;
  private int slot;

  SimulatedProgram(long seed, boolean checked) {
    backend =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .costModel(CostModel.FREE)
            .bytes(false)
            .seed(seed)
            .checker(CheckerOptions.DEFAULT.withEnabled(checked))
            .build();
    device = backend.getDevice(0);
    random = new SplittableRandom(seed);
    base = device.getMemory().allocate(SLOTS * SLOT);
    for (int i = 0; i < STREAMS; i++) {
      streams.add(device.createStream());
      events.add(device.createEvent());
    }
  }

  /** Allocates, uses and frees one slot. */
  void step() {
    slot = (slot + 1) % SLOTS;
    int owner = slot % STREAMS;
    int user = (owner + 1 + random.nextInt(STREAMS - 1)) % STREAMS;
    SimStream first = streams.get(owner);
    SimStream second = streams.get(user);
    long address = base + slot * SLOT;
    long bytes = 2 + random.nextLong(SLOT - 2);
    long part = 1 + random.nextLong(bytes - 1);
    device.getMemoryObserver().allocated(address, bytes, first);
    launch(first, SimKernel.named("whole").writes(address, bytes));
    launch(first, SimKernel.named("head").writes(address, part));
    order(first, second, events.get(owner));
    launch(second, SimKernel.named("tail").reads(address + part, bytes - part));
    order(second, first, events.get(user));
    device.getMemoryObserver().freed(address, first);
    backend.advance(1000);
  }

  private static void launch(SimStream stream, SimKernel.Builder kernel) {
    stream.launch(kernel.taking(1000).build());
  }

  private static void order(SimStream before, SimStream after, SimEvent mark) {
    mark.record(before);
    after.waitFor(mark);
  }

  /** Returns the number of hazards so far, which must be 0. */
  long getHazardCount() {
    return backend.getHazardCount();
  }

  @Override
  public void close() {
    device.synchronize();
    device.getMemory().free(base);
    events.forEach(SimEvent::close);
    streams.forEach(SimStream::close);
    if (backend.getHazardCount() > 0 || !backend.getLeaks().isEmpty()) {
      throw new IllegalStateException(
          "the program must have no hazards or leaks but has hazards "
              + backend.getHazards()
              + " and leaks "
              + backend.getLeaks());
    }
    backend.close();
  }
}
