package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("57.1 As driver 580.159 on two H200 of one host, checker or not:")
class TwoDevicesTest {
  private static final long MIB = 1 << 20;
  private static final long WORK = 1 << 30;

  /** The driver's statuses of lost devices. */
  private static final int ILLEGAL_ADDRESS = 700;

  private static final int LAUNCH_FAILED = 719;

  /** One experiment with two devices. */
  private static final class Pair implements AutoCloseable {
    final SimBackend backend;
    final SimDevice a;
    final SimDevice b;
    final SimStream ours;
    final SimStream theirs;
    private final long work;
    private final long otherWork;

    Pair(boolean checked) {
      backend =
          SimBackend.builder()
              .device(DeviceProfile.H200)
              .device(DeviceProfile.H200)
              .schedule(Schedule.timed())
              .checker(checked ? CheckerOptions.DEFAULT : CheckerOptions.OFF)
              .build();
      a = backend.getDevice(0);
      b = backend.getDevice(1);
      ours = a.createStream();
      theirs = b.createStream();
      work = a.getMemory().allocate(WORK);
      otherWork = b.getMemory().allocate(WORK);
    }

    /** Queues work of some hundred microseconds. */
    void busy(SimStream stream) {
      stream.fill(stream.getDevice() == a ? work : otherWork, (byte) 1, WORK);
    }

    /** Queues work of some ten milliseconds, much longer than access takes to open. */
    void busyForLong(SimStream stream) {
      for (int i = 0; i < 40; i++) {
        busy(stream);
      }
    }

    /** Requires that a call waits for work of {@link #busyForLong}, or that it does not. */
    void waits(boolean expected, Runnable call) {
      long before = backend.getTimeNanos();
      call.run();
      assertEquals(expected, backend.getTimeNanos() - before > 5_000_000, "it waits");
    }

    void open() {
      a.getPeerAccess().enable(b);
      b.getPeerAccess().enable(a);
    }

    /** Returns mapped memory of the second device that both may access. */
    long mapped() {
      VirtualMemory memory = b.getVirtualMemory();
      long address = memory.reserve(2 * MIB);
      long handle = memory.create(2 * MIB);
      memory.map(address, 2 * MIB, handle);
      memory.release(handle);
      memory.setAccess(address, 2 * MIB, a);
      memory.setAccess(address, 2 * MIB, b);
      return address;
    }

    /** Requires that a wait for a device finds it lost, and that all devices are then. */
    void lost(SimDevice device, int status) {
      assertEquals(status, code(device::synchronize));
      assertEquals(status, code(() -> a.createStream().synchronize()));
      assertEquals(status, code(() -> b.createStream().synchronize()));
    }

    private static int code(Executable call) {
      return assertThrows(FatalDeviceException.class, call).getStatus().code();
    }

    void fails(int status, Runnable call) {
      assertEquals(status, assertThrows(GpuException.class, call::run).getStatus().code());
    }

    @Override
    public void close() {
      backend.close();
    }
  }

  private Pair pair = new Pair(false);

  private void use(boolean checked) {
    pair.close();
    pair = new Pair(checked);
  }

  @AfterEach
  void close() {
    pair.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("a queued fill or copy of plain memory whose peer access ends loses the devices")
  void accessEnds(boolean checked) {
    for (boolean copies : new boolean[] {false, true}) {
      use(checked);
      long memory = pair.b.getMemory().allocate(MIB);
      pair.theirs.fill(memory, (byte) 1, MIB);
      pair.theirs.synchronize();
      pair.open();
      pair.busy(pair.ours);
      if (copies) {
        pair.ours.copy(pair.work, memory, MIB);
      } else {
        pair.ours.fill(memory, (byte) 2, MIB);
      }
      pair.a.getPeerAccess().disable(pair.b);
      pair.lost(pair.a, LAUNCH_FAILED);
    }
  }

  @Test
  @DisplayName(
      "a copy that was queued without peer access is staged, and a wait for each includes it")
  void staged() {
    long memory = pair.b.getMemory().allocate(MIB);
    pair.busyForLong(pair.ours);
    pair.ours.copy(memory, pair.work, MIB);
    pair.waits(true, () -> pair.b.getMemory().free(memory));
    pair.a.synchronize();
    pair.b.synchronize();
  }

  @Test
  @DisplayName("a wait for a device includes a peer's copy from its memory, but not one to it")
  void peersCopies() {
    pair.open();
    long memory = pair.b.getMemory().allocate(MIB);
    pair.busyForLong(pair.ours);
    pair.ours.copy(memory, pair.work, MIB);
    pair.waits(false, pair.b::synchronize);
    pair.ours.synchronize();
    pair.busyForLong(pair.ours);
    pair.ours.copy(pair.work, memory, MIB);
    pair.waits(true, pair.b::synchronize);
  }

  @Test
  @DisplayName("access that opens waits for the work of the device that gets it, and no other")
  void accessWaits() {
    Runnable opens = () -> pair.a.getPeerAccess().enable(pair.b);
    pair.busyForLong(pair.theirs);
    pair.waits(false, opens);
    pair.busyForLong(pair.ours);
    pair.waits(false, opens);
    pair.a.getPeerAccess().disable(pair.b);
    pair.waits(true, opens);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("a queued fill whose mapping or grant is taken away loses the devices")
  void grantEnds(boolean checked) {
    use(checked);
    long mapped = pair.mapped();
    pair.busy(pair.ours);
    pair.ours.fill(mapped, (byte) 1, MIB);
    pair.b.getVirtualMemory().removeAccess(mapped, 2 * MIB, pair.a);
    pair.lost(pair.a, LAUNCH_FAILED);

    use(checked);
    long unmapped = pair.mapped();
    pair.busy(pair.ours);
    pair.ours.fill(unmapped, (byte) 1, MIB);
    pair.b.getVirtualMemory().unmap(unmapped, 2 * MIB);
    pair.lost(pair.a, LAUNCH_FAILED);

    use(checked);
    DriverPool pool = pair.a.getDriverPools().create(0);
    pool.setAccess(pair.b, true);
    long block = pool.allocate(MIB, pair.ours);
    pair.a.synchronize();
    pair.busy(pair.theirs);
    pair.theirs.fill(block, (byte) 1, MIB);
    pool.setAccess(pair.b, false);
    pair.lost(pair.b, LAUNCH_FAILED);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("a plain free does not wait for a peer's work, which loses the devices")
  void freedBelowPeer(boolean checked) {
    for (boolean copies : new boolean[] {false, true}) {
      use(checked);
      pair.open();
      long memory = pair.a.getMemory().allocate(4 * MIB);
      pair.ours.fill(memory, (byte) 1, 4 * MIB);
      pair.a.synchronize();
      pair.busy(pair.theirs);
      if (copies) {
        pair.theirs.copy(pair.otherWork, memory, MIB);
      } else {
        pair.theirs.fill(memory, (byte) 1, MIB);
      }
      pair.a.getMemory().free(memory);
      pair.lost(pair.b, ILLEGAL_ADDRESS);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("without peer access a graph stages copies, and one with a fill is refused")
  void graphWithoutAccess(boolean checked) {
    use(checked);
    long memory = pair.b.getMemory().allocate(MIB);
    pair.a.getGraphs().beginCapture(pair.ours);
    pair.ours.copy(memory, pair.work, MIB);
    try (Graph graph = pair.a.getGraphs().endCapture(pair.ours)) {
      graph.launch(pair.ours);
      pair.ours.synchronize();
    }
    pair.a.getGraphs().beginCapture(pair.ours);
    pair.ours.fill(memory, (byte) 1, MIB);
    pair.fails(1, () -> pair.a.getGraphs().endCapture(pair.ours));
    assertEquals(false, pair.a.getGraphs().isCapturing(pair.ours));
    assertEquals(false, pair.a.getGraphs().hasOpenGraphs());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName(
      "a graph that was made with peer access loses the devices where it is launched without")
  void graphAfterAccess(boolean checked) {
    use(checked);
    pair.open();
    long memory = pair.b.getMemory().allocate(MIB);
    pair.busy(pair.ours);
    pair.ours.synchronize();
    pair.a.getGraphs().beginCapture(pair.ours);
    pair.ours.copy(memory, pair.work, MIB);
    Graph graph = pair.a.getGraphs().endCapture(pair.ours);
    graph.launch(pair.ours);
    pair.ours.synchronize();
    pair.a.getPeerAccess().disable(pair.b);
    graph.launch(pair.ours);
    pair.lost(pair.a, LAUNCH_FAILED);
    pair.fails(LAUNCH_FAILED, () -> graph.launch(pair.ours));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("a graph whose fill has lost its access fails as a kernel")
  void graphAfterGrant(boolean checked) {
    use(checked);
    DriverPool pool = pair.b.getDriverPools().create(0);
    pool.setAccess(pair.a, true);
    long block = pool.allocate(MIB, pair.theirs);
    pair.theirs.synchronize();
    pair.a.getGraphs().beginCapture(pair.ours);
    pair.ours.fill(block, (byte) 1, MIB);
    Graph graph = pair.a.getGraphs().endCapture(pair.ours);
    pool.setAccess(pair.a, false);
    graph.launch(pair.ours);
    pair.lost(pair.a, ILLEGAL_ADDRESS);
  }

  @Test
  @DisplayName("a pool keeps what another device's stream has freed until a wait for that stream")
  void freedOnOtherStream() {
    try (DriverPool pool = pair.a.getDriverPools().create(0)) {
      pool.setAccess(pair.b, true);
      long block = pool.allocate(64 * MIB, pair.ours);
      pair.ours.synchronize();
      pair.busy(pair.theirs);
      pool.free(block, pair.theirs);
      pair.ours.synchronize();
      pair.a.synchronize();
      pool.trim(0);
      assertEquals(64 * MIB, pool.getStatistics().reservedBytes());
      pair.theirs.synchronize();
      assertEquals(0, pool.getStatistics().reservedBytes());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("a captured copy is refused at once for memory that peer access does not open")
  void capturedCopyWithoutGrant(boolean checked) {
    use(checked);
    pair.open();
    long mapped = pair.mapped();
    pair.b.getVirtualMemory().removeAccess(mapped, 2 * MIB, pair.a);
    long block = pair.b.getDriverPools().create(0).allocate(MIB, pair.theirs);
    pair.theirs.synchronize();
    for (long memory : new long[] {mapped, block}) {
      pair.a.getGraphs().beginCapture(pair.ours);
      pair.fails(1, () -> pair.ours.copy(memory, pair.work, MIB));
      pair.fails(1, () -> pair.ours.copy(pair.work, memory, MIB));
      pair.a.getGraphs().endCapture(pair.ours).close();
    }
  }

  @Test
  @DisplayName("a captured fill of an unknown address is refused when the graph is made")
  void unknownAddress() {
    pair.a.getGraphs().beginCapture(pair.ours);
    pair.ours.fill(1L << 40, (byte) 1, 16);
    InvalidArgumentException refusal =
        assertThrows(
            InvalidArgumentException.class, () -> pair.a.getGraphs().endCapture(pair.ours));
    assertEquals("cuGraphInstantiate", refusal.getStatus().call());
  }
}
