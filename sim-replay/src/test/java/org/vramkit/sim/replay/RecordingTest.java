package org.vramkit.sim.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.HandOff;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimGate;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("Recording a program")
class RecordingTest {
  private static final long BYTES = 4096;
  private static final long PAGE = 2 << 20;

  @TempDir private Path folder = Path.of("");

  private SimBackend backend = backend(1000);
  private SimDevice device = backend.getDevice(0);

  private static SimBackend backend(int steps) {
    return twoDevices().recorder(new ProgramRecorder(steps)).build();
  }

  private static SimBackend.Builder twoDevices() {
    return SimBackend.builder().device(DeviceProfile.SMALL_8GIB).device(DeviceProfile.SMALL_8GIB);
  }

  private static List<StepKind> kinds(Program program) {
    return program.steps().stream().map(Step::kind).toList();
  }

  /** Calls everything that there is. */
  private void everything() {
    SimDevice peer = backend.getDevice(1);
    SimStream zero = device.getDefaultStream();
    SimStream stream = device.createStream();
    SimEvent event = device.createEvent();
    long memory = device.getMemory().allocate(BYTES);
    zero.fill(memory, (byte) 7, BYTES);
    event.record(zero);
    stream.waitFor(event);
    backend.advance(1_000_000_000);
    assertTrue(event.isComplete() && zero.isIdle());
    stream.copy(memory, memory + BYTES / 2, BYTES / 2);
    stream.launch(SimKernel.named("k").reads(memory, 64).writes(memory, 64).build());
    stream.launch(SimKernel.named("k").atomics(memory, 64).build());
    stream.copyToDevice(memory, ByteBuffer.allocate(16));
    stream.copyToHost(ByteBuffer.allocate(16), memory);
    stream.callHost("f", () -> {});
    SimGate gate = backend.createGate("g");
    stream.waitFor(gate);
    gate.open();
    event.synchronize();
    stream.synchronize();
    stream.synchronizeAsync(Runnable::run).toCompletableFuture().join();
    device.synchronize();
    PinnedBuffer pinned = device.getPinnedMemory().allocate(BYTES);
    pinned.getBytes(0, 64).put(new byte[64]);
    stream.copyToDevice(memory, pinned, 0, 64);
    stream.copyToHost(pinned, 64, memory, 64);
    stream.synchronize();
    pinned.getBytes(0, 64).put((byte) 1);
    backend.hostReads(pinned, 0, 64);
    backend.hostWrites(pinned, 0, 64);
    handOver(stream);
    device.getMemoryObserver().allocatedOnHost(pinned.getAddress(), 64);
    device.getMemoryObserver().freedOnHost(pinned.getAddress());
    device.getMemoryObserver().enterPool();
    stream.synchronize();
    device.getMemoryObserver().leavePool();
    pinned.close();
    device.getPinnedMemory().register(ByteBuffer.allocateDirect(64)).close();
    device.getManagedMemory().allocate(64).close();
    device.getMemoryObserver().allocated(memory, BYTES, stream);
    device.getMemoryObserver().used(memory, zero);
    device.getMemoryObserver().segmentTaken(memory, BYTES);
    device.getMemoryObserver().segmentGivenBack(memory);
    device.getMemoryObserver().suspended(memory, BYTES);
    device.getMemoryObserver().freed(memory, stream);
    device.getMemory().free(memory);
    pools(stream);
    pages();
    graph(stream);
    try (DriverPool pool = device.getDriverPools().create(0)) {
      pool.setAccess(peer, true);
    }
    device.getPeerAccess().enable(peer);
    device.getPeerAccess().disable(peer);
    device.occupy(BYTES);
    device.vacate(BYTES);
    device.bind().close();
    device.createStream("named").close();
    event.close();
    stream.close();
    backend.getFaults().endHangs();
    backend.standStill();
    backend.finish();
  }

  /** To a thread that is over soon, and back. */
  private void handOver(SimStream stream) {
    HandOff handOff = backend.newHandOff();
    Thread worker = new Thread(handOff.runnable(stream::synchronize), "worker");
    worker.start();
    try {
      worker.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    handOff.publish();
    handOff.receive();
  }

  private void pools(SimStream stream) {
    StreamOrderedMemory first = device.getStreamOrderedMemory();
    first.free(first.allocate(BYTES, stream), stream);
    DriverPool pool = device.getDriverPools().create(0);
    pool.setReleaseThreshold(BYTES);
    pool.setReuse(DriverPoolReuse.OPPORTUNISTIC, false);
    pool.free(pool.allocate(BYTES, stream), stream);
    stream.synchronize();
    pool.trim(0);
    pool.close();
  }

  private void graph(SimStream stream) {
    device.getGraphs().beginCapture(stream);
    device.getGraphs().relax().close();
    Graph graph = device.getGraphs().endCapture(stream);
    graph.launch(stream);
    graph.close();
  }

  private void pages() {
    VirtualMemory virtual = device.getVirtualMemory();
    long address = virtual.reserve(PAGE);
    long page = virtual.create(PAGE);
    virtual.map(address, PAGE, page);
    virtual.setAccess(address, PAGE, device);
    virtual.removeAccess(address, PAGE, device);
    virtual.setAccess(address, PAGE, List.of(device));
    virtual.unmap(address, PAGE);
    virtual.release(page);
    virtual.unreserve(address, PAGE);
  }

  @Test
  @DisplayName("knows every kind of call")
  void everyKind() {
    everything();
    Program program = Program.of(backend);
    Set<StepKind> missing = EnumSet.allOf(StepKind.class);
    missing.removeAll(kinds(program));
    // In a program that is in order nobody writes under a copy.
    missing.remove(StepKind.HOST_CHANGES);
    assertEquals(Set.of(), missing);
    assertTrue(program.complete());
    assertTrue(program.steps().stream().noneMatch(step -> step.failure().isFailed()));
    assertTrue(
        program.steps().stream().flatMap(Step::needs).noneMatch(operand -> operand == 0),
        program::toString);
  }

  @Test
  @DisplayName("gives a program that does the same again, without a report or a failure")
  void again() {
    everything();
    assertEquals(List.of(), backend.getHazards());
    ProgramRun run = ProgramRunner.run(Program.of(backend));
    assertEquals(List.of(), run.hazards());
    assertEquals(0, run.skipped());
    assertEquals(Program.of(backend), run.program());
  }

  @Test
  @DisplayName("survives being stored, with what it ran on")
  void stored() {
    everything();
    Program program = Program.of(backend);
    ProgramSetup other =
        program
            .setup()
            .withSeed(1L << 40)
            .withSchedule(Schedule.priorities(5))
            .withChecker(CheckerOptions.OFF.withRequireContext(true).withMaxReports(7));
    Path file = folder.resolve("program.json");
    program.on(other).store(file);
    assertEquals(program.on(other), Program.load(file));
  }

  @Test
  @DisplayName("refuses files that hold no program, and says what was wanted")
  void noProgram() throws Exception {
    for (String text : List.of("", "[]", "{}", "{\"format\":\"vramkit-program\",\"version\":9}")) {
      Path file = Files.writeString(folder.resolve("other.json"), text);
      InvalidArgumentException refusal =
          assertThrows(InvalidArgumentException.class, () -> Program.load(file));
      String message = String.valueOf(refusal.getMessage());
      assertTrue(message.contains("other.json") && message.contains("program"), message);
    }
    assertThrows(InvalidArgumentException.class, () -> Program.load(folder.resolve("none")));
  }

  @Test
  @DisplayName("keeps calls that fail, and they fail again")
  void failures() {
    backend.getFaults().failNext("cuMemAlloc", Fault.OUT_OF_MEMORY);
    assertThrows(GpuException.class, () -> device.getMemory().allocate(BYTES));
    assertThrows(GpuException.class, () -> device.getMemory().free(12345));
    SimStream stream = device.createStream();
    stream.close();
    assertThrows(ClosedException.class, () -> stream.fill(0, (byte) 0, 1));
    Program program = Program.of(backend);
    assertEquals(
        List.of("DeviceOutOfMemoryException", "InvalidArgumentException", "ClosedException"),
        program.steps().stream()
            .map(step -> step.failure().type())
            .filter(type -> !type.isEmpty())
            .toList());
    ProgramRun run = ProgramRunner.run(program);
    assertEquals(program, run.program());
    assertEquals(backend.getHazards().size(), run.hazards().size());
  }

  @Test
  @DisplayName("names freed memory by its last owner, as long as it has no new owner")
  void gone() {
    long memory = device.getMemory().allocate(BYTES);
    device.getMemory().free(memory);
    SimStream stream = device.createStream();
    assertThrows(GpuException.class, () -> stream.fill(memory + 8, (byte) 0, 8));
    List<Step> steps = Program.of(backend).steps();
    ByteRange late = steps.get(steps.size() - 1).writes().get(0);
    assertEquals(new ByteRange(steps.get(0).makes(), 8, 8), late);
  }

  @Test
  @DisplayName(
      "tells host threads apart by number and name, and workers of fork-join pools from others")
  void threads() throws Exception {
    SimStream stream = device.createStream();
    Thread own = new Thread(stream::synchronize, "own");
    own.start();
    own.join();
    ForkJoinPool pool = new ForkJoinPool(1);
    String worker =
        CompletableFuture.supplyAsync(
                () -> {
                  stream.synchronize();
                  return Thread.currentThread().getName();
                },
                pool)
            .get();
    pool.shutdown();
    Program program = Program.of(backend);
    assertEquals(
        List.of(
            ProgramThread.named(Thread.currentThread().getName()),
            ProgramThread.named("own"),
            new ProgramThread(worker, true)),
        program.threads());
    assertEquals(
        List.of(0, 1, 2),
        program.steps().stream()
            .filter(step -> step.kind() != StepKind.END_THREAD)
            .map(Step::thread)
            .toList());
  }

  @Test
  @DisplayName("stops at its bound and says so")
  void bounded() {
    SimBackend small = backend(2);
    for (int i = 0; i < 3; i++) {
      small.getDevice(0).createEvent();
    }
    assertFalse(Program.of(small).complete());
    assertEquals(2, Program.of(small).steps().size());
    assertTrue(Program.of(small).toString().contains("stopped"));
  }

  @Test
  @DisplayName("is off unless wanted")
  void off() {
    assertThrows(NotSupportedException.class, () -> Program.of(SimBackend.builder().build()));
  }

  @Test
  @DisplayName("does not change what is done")
  void harmless() {
    everything();
    long recorded = backend.getTraceHash();
    backend = twoDevices().build();
    device = backend.getDevice(0);
    everything();
    assertEquals(recorded, backend.getTraceHash());
  }

  @Test
  @DisplayName("43.12 holds a graph's function once for each launch, however often it is run again")
  void functionOfGraph() {
    SimStream stream = device.createStream();
    PinnedBuffer buffer = device.getPinnedMemory().allocate(BYTES);
    device.getGraphs().beginCapture(stream);
    stream.callHost("fill", () -> buffer.hostWrites(0, BYTES));
    Graph graph = device.getGraphs().endCapture(stream);
    graph.launch(stream);
    graph.launch(stream);
    stream.synchronize();
    Program program = Program.of(backend);
    ProgramRun run = ProgramRunner.run(program);
    assertEquals(0, run.skipped());
    assertEquals(program.steps().size(), run.program().steps().size());
    ProgramRun again = ProgramRunner.run(run.program());
    assertEquals(0, again.skipped());
    assertEquals(run.program(), again.program());
  }
}
