package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.replay.Program;
import org.vramkit.sim.replay.ProgramRecorder;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("vramkit run and vramkit shrink")
class StoredProgramTest {
  @TempDir private Path folder = Path.of("");

  /** Two streams that take turns on a buffer, ten times in order; at last without a wait, or so. */
  private Path stored(boolean waits) {
    SimBackend gpu =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .seed(7)
            .schedule(Schedule.timed())
            .checker(CheckerOptions.DEFAULT.withStacks(true))
            .recorder(new ProgramRecorder())
            .build();
    SimDevice device = gpu.getDevice(0);
    SimStream producer = device.createStream();
    SimStream consumer = device.createStream();
    long buffer = device.getMemory().allocate(1 << 20);
    for (int turn = 0; turn < 10; turn++) {
      producer.launch(SimKernel.named("produce").writes(buffer, 1 << 20).build());
      if (turn < 9 || waits) {
        order(device, producer, consumer);
      }
      consumer.launch(SimKernel.named("consume").reads(buffer, 1 << 20).build());
      order(device, consumer, producer);
    }
    Path file = folder.resolve(waits ? "correct.json" : "faulty.json");
    Program.of(gpu).store(file);
    return file;
  }

  private static void order(SimDevice device, SimStream before, SimStream after) {
    try (SimEvent event = device.createEvent()) {
      event.record(before);
      after.waitFor(event);
    }
  }

  @Test
  @DisplayName("run prints the reports of a stored program and fails")
  void run() {
    Run result = Run.of("run", stored(false).toString());
    assertEquals(1, result.code(), result.err());
    assertTrue(result.out().contains("RACE_RAW: "), result.out());
    assertTrue(result.out().contains("1 hazard, 0 warnings; seed 7"), result.out());
    assertFalse(result.out().contains("picocli"), result.out());
  }

  @Test
  @DisplayName("run of a correct program succeeds, under any schedule and seed")
  void runCorrect() {
    String file = stored(true).toString();
    for (String schedule : new String[] {"timed", "lazy", "random", "priorities:2"}) {
      Run result = Run.of("run", "--schedule", schedule, "--seed", "5", file);
      assertEquals(0, result.code(), result.out());
      assertTrue(result.out().contains("seed 5, schedule " + schedule), result.out());
    }
  }

  @Test
  @DisplayName("shrink prints a short class and its report, and stores the program")
  void shrink() {
    Path output = folder.resolve("short.json");
    Run result = Run.of("shrink", "--output", output.toString(), stored(false).toString());
    assertEquals(0, result.code(), result.err());
    assertTrue(result.out().contains("public final class Shrunk {"), result.out());
    assertTrue(result.out().contains("RACE_RAW: "), result.out());
    assertTrue(result.out().contains("5 of "), result.out());
    assertEquals(5, Program.load(output).steps().size());
    assertEquals(1, Run.of("run", output.toString()).code());
  }

  @Test
  @DisplayName("shrink never writes over the program that it reads")
  void shrinkKeepsItsInput() throws IOException {
    Path file = stored(false);
    byte[] before = Files.readAllBytes(file);
    Run.of("shrink", "--output", file.toString(), file.toString())
        .failed(2, "--output", "name another file");
    assertArrayEquals(before, Files.readAllBytes(file));
  }

  @Test
  @DisplayName("a compressed program and a wrong checker value have clear errors")
  void unreadable() throws IOException {
    Path file = stored(false);
    Path packed = folder.resolve("program.json.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
      Files.copy(file, out);
    }
    Run.of("run", packed.toString()).failed(2, "compressed", "gunzip");
    String wrong = Files.readString(file).replaceFirst("\"enabled\" : true", "\"enabled\" : \"x\"");
    Run.of("run", Files.writeString(folder.resolve("wrong.json"), wrong).toString())
        .failed(2, "checker.enabled: must be true or false, not 'x'");
  }

  @Test
  @DisplayName("choices that do not fit are bad input if requested, else ignored")
  void choices() {
    SimBackend gpu = SimBackend.builder().recorder(new ProgramRecorder()).build();
    SimDevice device = gpu.getDevice(0);
    for (int i = 0; i < 3; i++) {
      SimKernel kernel =
          SimKernel.named("write").writes(device.getMemory().allocate(512), 512).build();
      device.createStream().launch(kernel);
    }
    device.synchronize();
    Program program = Program.of(gpu);
    Path file = folder.resolve("choices.json");
    program.on(program.setup().withSchedule(Schedule.chosen(List.of(99)))).store(file);
    Run recorded = Run.of("run", file.toString());
    assertEquals(0, recorded.code(), recorded.err());
    assertTrue(recorded.out().contains("schedule chosen:,"), recorded.out());
    Run wanted = Run.of("run", "--schedule", "chosen:0.7", file.toString());
    assertEquals(2, wanted.code(), wanted.out());
    assertTrue(wanted.err().contains("possibility 7 as its choice 2"), wanted.err());
  }

  @Test
  @DisplayName("--leaks reports what a program never released, and shrinks to the first leak")
  void leaks() {
    String file = stored(true).toString();
    Run told = Run.of("run", "--leaks", file);
    assertEquals(1, told.code(), told.err());
    assertTrue(told.out().contains("1 x allocation (1.00 MiB), 2 x stream"), told.out());
    Path output = folder.resolve("short.json");
    Run shrunk = Run.of("shrink", "--leaks", "--output", output.toString(), file);
    assertEquals(0, shrunk.code(), shrunk.err());
    assertTrue(shrunk.out().contains("gpu.getLeaks().forEach"), shrunk.out());
    assertTrue(shrunk.out().contains("LEAK: stream, "), shrunk.out());
    assertEquals(1, Program.load(output).steps().size(), shrunk.out());
  }

  /** A program that keeps a block of an open allocator, and an event of its own before it. */
  private Path storedWithOpenAllocator() {
    SimBackend gpu =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .recorder(new ProgramRecorder())
            .build();
    SimDevice device = gpu.getDevice(0);
    SimEvent unused = device.createEvent();
    SimStream stream = device.createStream();
    CachingAllocator allocator = CachingAllocator.create(device);
    allocator.allocate(4096, stream).close();
    Allocation kept = allocator.allocate(1 << 20, stream);
    stream.fill(kept.getAddress(), (byte) 1, 1 << 20);
    stream.waitFor(unused);
    Path file = folder.resolve("open.json");
    Program.of(gpu).store(file);
    return file;
  }

  @Test
  @DisplayName("--leaks shrinks to a leaked block, not to the addresses of its allocator")
  void leakedBlock() {
    Run shrunk = Run.of("shrink", "--leaks", storedWithOpenAllocator().toString());
    assertEquals(0, shrunk.code(), shrunk.err());
    assertTrue(shrunk.out().contains("LEAK: block of a pool"), shrunk.out());
    assertTrue(shrunk.out().contains(".getMemoryObserver().allocated("), shrunk.out());
    assertTrue(!shrunk.out().contains("createEvent"), shrunk.out());
  }

  @Test
  @DisplayName("--leaks shrinks to a mapping with its memory, not to its addresses alone")
  void leakedMapping() {
    SimBackend gpu =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .recorder(new ProgramRecorder())
            .build();
    VirtualMemory memory = gpu.getDevice(0).getVirtualMemory();
    long page = memory.getGranularity();
    long address = memory.reserve(4 * page);
    long physical = memory.create(page);
    memory.map(address, page, physical);
    Path file = folder.resolve("mapping.json");
    Program.of(gpu).store(file);
    Run shrunk = Run.of("shrink", "--leaks", file.toString());
    assertEquals(0, shrunk.code(), shrunk.err());
    assertTrue(shrunk.out().contains("LEAK: mapping"), shrunk.out());
    assertTrue(shrunk.out().contains("3 of 3 steps left"), shrunk.out());
  }

  @Test
  @DisplayName("a program without hazards shrinks to its first warning")
  void warning() {
    SimBackend gpu =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .recorder(new ProgramRecorder())
            .build();
    SimDevice device = gpu.getDevice(0);
    device.createStream().waitFor(device.createEvent());
    Path file = folder.resolve("warning.json");
    Program.of(gpu).store(file);
    Run result = Run.of("shrink", file.toString());
    assertEquals(0, result.code(), result.err());
    assertTrue(result.out().contains("gpu.getWarnings().forEach"), result.out());
    assertTrue(result.out().contains("WAIT_ON_UNRECORDED_EVENT: "), result.out());
  }

  @Test
  @DisplayName("docs/simulator-shrink.md shows what shrink really prints")
  void page() throws Exception {
    String page = Files.readString(Path.of("..", "docs", "simulator-shrink.md"));
    String printed = Run.of("shrink", stored(false).toString()).out();
    int end = printed.indexOf("\n}\n") + 3;
    String program = "```text\n" + printed.substring(0, end) + "```\n";
    String told = "```\n" + printed.substring(end).strip() + "\n```\n";
    assertTrue(page.contains(program), () -> "the page lacks\n" + program);
    assertTrue(page.contains(told), () -> "the page lacks\n" + told);
  }

  @Test
  @DisplayName("a file without a program, report or known schedule is bad input with a message")
  void badInput() throws Exception {
    Path text = Files.writeString(folder.resolve("text.json"), "hello");
    String faulty = stored(false).toString();
    String[][] calls = {
      {"run", text.toString()},
      {"shrink", text.toString()},
      {"run", folder.resolve("none.json").toString()},
      {"shrink", stored(true).toString()},
      {"run", "--schedule", "nice", faulty},
      {"run", "--schedule", "timed:", faulty},
      {"shrink", "--runs", "0", faulty},
      {"shrink", folder.toString()},
      {"run", ""},
      {"run"}
    };
    for (String[] call : calls) {
      Run result = Run.of(call);
      assertEquals(2, result.code(), String.join(" ", call) + result.out());
      assertEquals(1, result.err().lines().count(), result.err());
    }
    String missing = Run.of("run", folder.resolve("none.json").toString()).err();
    assertTrue(missing.contains("none.json: no such file"), missing);
    for (String command : new String[] {"run", "shrink"}) {
      String directory = Run.of(command, folder.toString()).err();
      assertTrue(directory.contains(folder + ": is a directory; name a file"), directory);
    }
  }

  @Test
  @DisplayName("17.24 a recording is refused by run and shrink with the commands that read it")
  void recording() throws Exception {
    String csv = "action,addr,size,stream,time_us\nalloc,0,512,0,0\n";
    String json = "{\"device_traces\":[[]],\"segments\":[]}";
    for (String text : new String[] {csv, "Thread,Time,Action,Pointer,Size,Stream\n", json}) {
      Path file = Files.writeString(folder.resolve("recording"), text);
      for (String command : new String[] {"run", "shrink"}) {
        Run.of(command, file.toString())
            .failed(2, "recording: is a recording, not a stored program", "'vramkit replay'");
      }
    }
    Path other = Files.writeString(folder.resolve("other.json"), "{\"format\":1}");
    Run.of("run", other.toString()).failed(2, "other.json", "'format' is not vramkit-program");
  }

  @Test
  @DisplayName(
      "17.24 an output that cannot be written is refused before the work, and other files stay")
  void badOutput() throws Exception {
    String faulty = stored(false).toString();
    String nowhere = folder.resolve("no/short.json").toString();
    Run missing = Run.of("shrink", "--output", nowhere, faulty);
    missing.failed(2, "--output: directory " + folder.resolve("no") + " does not exist");
    assertEquals("", missing.out());
    Run directory = Run.of("shrink", "--output", folder.toString(), faulty);
    directory.failed(2, "--output: " + folder + " is a directory; name a file");
    Run.of("shrink", "--output", "", faulty).failed(2, "--output: the file name is empty");
    Path precious = Files.writeString(folder.resolve("precious.csv"), "alloc,0");
    Run other = Run.of("shrink", "--output", precious.toString(), faulty);
    other.failed(2, "precious.csv exists and is not a stored program");
    assertEquals("alloc,0", Files.readString(precious));
  }
}
