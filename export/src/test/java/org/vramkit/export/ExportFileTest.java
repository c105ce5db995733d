package org.vramkit.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.pool.caching.HistoryEvent;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("42.29 An exported file")
class ExportFileTest {
  @TempDir private Path folder = Path.of("");

  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build();

  @AfterEach
  void close() {
    backend.close();
    assertEquals(List.of(), backend.getLeaks());
  }

  private MemoryExport export(List<HistoryEvent> events) {
    World world = new World(new Random(1), 200);
    return MemoryExport.of(backend.getDevice(0), world.snapshot(), new KeptHistory(events));
  }

  private List<String> names() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.map(each -> each.getFileName().toString()).sorted().toList();
    }
  }

  @ParameterizedTest
  @DisplayName("keeps what it held where writing fails halfway, and leaves nothing beside it")
  @EnumSource(ExportFormat.class)
  void failedHalfway(ExportFormat format) throws IOException {
    World world = new World(new Random(1), 200);
    Path file = Files.writeString(folder.resolve("memory"), "earlier");
    // An event that is no event ends the writing in its middle.
    List<HistoryEvent> broken = new ArrayList<>(world.events);
    broken.add(broken.size() / 2, null);
    assertThrows(NullPointerException.class, () -> export(broken).write(format, file));
    assertEquals("earlier", Files.readString(file));
    assertEquals(List.of("memory"), names());
    export(world.events).write(format, file);
    assertTrue(Files.size(file) > 1000);
    assertEquals(List.of("memory"), names());
  }

  @Test
  @DisplayName("17.24 in a missing folder is an error that names the folder and the remedy")
  void missingFolder() {
    Path file = folder.resolve("gone/memory");
    UncheckedIOException e =
        assertThrows(
            UncheckedIOException.class,
            () -> export(new World(new Random(1), 200).events).write(ExportFormat.CSV, file));
    assertEquals(
        "cannot write "
            + file
            + ": the folder "
            + folder.resolve("gone")
            + " does not exist; create it, or name a writable file",
        e.getMessage());
  }

  @Test
  @DisplayName("is written where a link leads to, which stays a link")
  void throughLink() throws IOException {
    Path real = Files.createFile(folder.resolve("real"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), real);
    export(new World(new Random(1), 200).events).write(ExportFormat.CSV, link);
    assertTrue(Files.size(real) > 1000);
    assertTrue(Files.isSymbolicLink(link));
  }

  @Test
  @DisplayName("says what is wrong and what to do where there is no room or no folder")
  void noRoom() {
    MemoryExport export = export(new World(new Random(1), 200).events);
    Path none = folder.resolve("none").resolve("memory");
    UncheckedIOException missing =
        assertThrows(UncheckedIOException.class, () -> export.write(ExportFormat.CSV, none));
    assertTrue(
        String.valueOf(missing.getMessage()).contains("name a writable file"), missing::toString);
    Path full = Path.of("/dev/full");
    assumeTrue(Files.isWritable(full), "no /dev/full to find no room on");
    UncheckedIOException e =
        assertThrows(UncheckedIOException.class, () -> export.write(ExportFormat.CSV, full));
    assertTrue(String.valueOf(e.getMessage()).contains("No space"), e::toString);
  }
}
