package org.vramkit.sim.mutation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.schedule.Schedule;

/**
 * Two small devices, and what a program calls by name: streams, events and memory come into being
 * when they are first mentioned, on the first device unless said otherwise.
 */
final class Stage implements AutoCloseable {
  /** Bytes of each piece of memory. */
  static final long SIZE = 4096;

  private static final long KERNEL_NANOS = 1_000_000;

  /** A piece of memory. */
  record Memory(long address, long bytes) {}

  private final SimBackend backend;
  private final TinyPool pool;
  private final Map<String, SimStream> streams = new HashMap<>();
  private final Map<String, SimEvent> events = new HashMap<>();
  private final Map<String, Memory> memories = new HashMap<>();
  private final Map<String, Long> pages = new HashMap<>();

  Stage(Schedule schedule) {
    backend =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .device(DeviceProfile.SMALL_8GIB)
            .costModel(CostModel.FREE)
            .schedule(schedule)
            .build();
    pool = new TinyPool(getDevice(0));
  }

  SimDevice getDevice(int ordinal) {
    return backend.getDevice(ordinal);
  }

  SimBackend getBackend() {
    return backend;
  }

  TinyPool getPool() {
    return pool;
  }

  // ---- names ----

  SimStream stream(String name) {
    return streams.computeIfAbsent(name, each -> getDevice(0).createStream());
  }

  void stream(String name, SimStream stream) {
    streams.put(name, stream);
  }

  SimEvent event(String name, SimDevice device) {
    return events.computeIfAbsent(name, each -> device.createEvent());
  }

  Memory memory(String name) {
    return memories.computeIfAbsent(
        name, each -> new Memory(getDevice(0).getMemory().allocate(SIZE), SIZE));
  }

  void memory(String name, long address, long bytes) {
    memories.put(name, new Memory(address, bytes));
  }

  /** A physical page of the first device. */
  long page(String name) {
    return pages.computeIfAbsent(
        name,
        each -> {
          VirtualMemory memory = getDevice(0).getVirtualMemory();
          return memory.create(memory.getGranularity());
        });
  }

  // ---- work ----

  void write(String stream, Memory memory) {
    stream(stream)
        .launch(
            SimKernel.named("write")
                .writes(memory.address(), memory.bytes())
                .taking(KERNEL_NANOS)
                .build());
  }

  void read(String stream, Memory memory) {
    stream(stream)
        .launch(
            SimKernel.named("read")
                .reads(memory.address(), memory.bytes())
                .taking(KERNEL_NANOS)
                .build());
  }

  /** Lets virtual time pass, so that a question may be answered otherwise next time. */
  void pass() {
    backend.advance(KERNEL_NANOS);
  }

  // ---- the verdict ----

  List<HazardCode> getCodes() {
    return backend.getHazards().stream().map(HazardReport::code).toList();
  }

  @Override
  public void close() {
    backend.close();
  }
}
