package org.vramkit.sim.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimGate;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardReport;

@DisplayName("Printing a program as Java")
class ProgramPrinterTest {
  private static final String NAME = "Reproducer";

  @TempDir private Path folder = Path.of("");

  /** Compiles the class, and runs it in a process of its own; returns what it printed. */
  private String outputOf(String source) throws Exception {
    Path file = Files.writeString(folder.resolve(NAME + ".java"), source);
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    String classPath = System.getProperty("java.class.path");
    String[] options = {"-proc:none", "-cp", classPath, "-d", folder.toString(), file.toString()};
    int status = ToolProvider.getSystemJavaCompiler().run(null, errors, errors, options);
    assertEquals(0, status, () -> errors + source);
    return ChildJvm.run(folder, folder.toString(), NAME);
  }

  private static String textOf(List<HazardReport> reports) {
    StringBuilder text = new StringBuilder();
    reports.forEach(report -> text.append(report).append(System.lineSeparator()));
    return text.toString();
  }

  @ParameterizedTest
  @EnumSource(value = RandomProgram.Fault.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  @DisplayName(
      "17.24 a shrunk program compiles and gives its report, whatever JAVA_TOOL_OPTIONS says")
  void shrunk(RandomProgram.Fault fault) throws Exception {
    ShrunkProgram shrunk = new ProgramShrinker().shrink(RandomProgram.of(11, fault));
    String source = ProgramPrinter.print(shrunk.program(), NAME);
    assertEquals(shrunk.report() + System.lineSeparator(), outputOf(source), source);
  }

  @Test
  @DisplayName("several threads, failures, own profiles and every family of calls compile and run")
  void everything() throws Exception {
    SimBackend gpu =
        SimBackend.builder()
            .device(DeviceProfile.builder("own \"device\"").memory(1L << 33).build())
            .device(DeviceProfile.SMALL_8GIB)
            .seed(1L << 40)
            .checker(CheckerOptions.DEFAULT.withMaxReports(50))
            .recorder(new ProgramRecorder())
            .build();
    SimDevice device = gpu.getDevice(0);
    SimStream stream = device.createStream("consumer");
    SimStream zero = device.getDefaultStream();
    long memory = device.getMemory().allocate(4096);
    Thread worker = new Thread(() -> stream.fill(memory, (byte) -1, 512), "worker");
    worker.start();
    worker.join();
    SimEvent event = device.createEvent();
    event.record(stream);
    zero.waitFor(event);
    zero.launch(SimKernel.named("k\u00e9").reads(memory, 8).writes(memory + 8, 8).build());
    SimGate gate = gpu.createGate("g");
    zero.waitFor(gate);
    gate.open();
    gpu.getFaults().failNext("cuMemAlloc", Fault.OUT_OF_MEMORY);
    attempt(() -> device.getMemory().allocate(64));
    attempt(() -> device.getMemory().free(77));
    PinnedBuffer pinned = device.getPinnedMemory().allocate(64);
    stream.copyToHost(pinned, 0, memory, 64);
    stream.copyToDevice(memory, pinned, 0, 64);
    stream.copy(memory, memory + 64, 64);
    ByteBuffer own = ByteBuffer.allocateDirect(64);
    PinnedBuffer registered = device.getPinnedMemory().register(own);
    attempt(() -> device.getPinnedMemory().register(own));
    stream.copyToDevice(memory, registered, 0, 64);
    device.synchronize();
    registered.close();
    pinned.close();
    DriverPool pool = device.getDriverPools().create(0);
    pool.free(pool.allocate(1024, stream), stream);
    device.getStreamOrderedMemory().allocate(1024, stream);
    VirtualMemory virtual = device.getVirtualMemory();
    long reserved = virtual.reserve(virtual.getGranularity());
    long page = virtual.create(virtual.getGranularity());
    virtual.map(reserved, virtual.getGranularity(), page);
    virtual.setAccess(reserved, virtual.getGranularity(), gpu.getDevice(1));
    virtual.removeAccess(reserved, virtual.getGranularity(), gpu.getDevice(1));
    device.getPeerAccess().enable(gpu.getDevice(1));
    device.getGraphs().beginCapture(stream);
    device.getGraphs().relax().close();
    stream.fill(memory, (byte) 1, 8);
    Graph graph = device.getGraphs().endCapture(stream);
    graph.launch(stream);
    graph.close();
    event.close();
    attempt(() -> event.record(stream));
    zero.launch(SimKernel.named("race").writes(memory, 8).build());
    stream.launch(SimKernel.named("race").writes(memory, 8).build());
    Program program = Program.of(gpu);
    ProgramRun run = ProgramRunner.run(program);
    String source = ProgramPrinter.print(program, NAME);
    assertEquals(textOf(gpu.getHazards()), textOf(run.hazards()), program::toString);
    Path file = Files.writeString(folder.resolve(NAME + ".java"), source);
    String printed = ChildJvm.run(folder, "", file.toString());
    for (HazardReport report : gpu.getHazards()) {
      assertTrue(printed.contains(report.code() + ":"), () -> printed + source);
    }
  }

  private static void attempt(Runnable call) {
    try {
      call.run();
    } catch (RuntimeException expected) {
      // The program is to hold a call that failed; which ones do is what the program tells.
    }
  }

  @Test
  @DisplayName("an address that belonged to nothing stays the number that it was")
  void nowhere() throws Exception {
    Sketch sketch = new Sketch();
    int stream = sketch.stream();
    sketch.launch(stream, "stray", List.of(new ByteRange(ByteRange.NOWHERE, 4096, 8)), List.of());
    Program program = sketch.program(1);
    String source = ProgramPrinter.print(program, NAME);
    assertEquals(textOf(ProgramRunner.run(program).hazards()), outputOf(source), source);
  }
}
