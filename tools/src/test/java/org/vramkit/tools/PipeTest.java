package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("22.7 A recording that comes through a pipe, as of another machine,")
class PipeTest {
  private static final String BEGIN =
      "action,addr,size,stream,time_us\nalloc,0,3000000,0,0\nalloc,4194304,1000,0,5\n";
  private static final String END = "free_completed,0,3000000,0,9\n";

  @TempDir private Path folder = Path.of("");

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] packed(String text) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(bytes(text));
    }
    return packed.toByteArray();
  }

  /** A run that reads the parts from a pipe; between them the writer lets it wait. */
  private Run run(byte[]... parts) throws IOException, InterruptedException, ExecutionException {
    Path pipe = folder.resolve("pipe");
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/mkfifo")), "no pipe can be made here");
    assertEquals(0, new ProcessBuilder("/usr/bin/mkfifo", pipe.toString()).start().waitFor());
    ExecutorService other = Executors.newSingleThreadExecutor(PipeTest::daemon);
    try {
      Future<?> written =
          other.submit(
              () -> {
                try (OutputStream out = Files.newOutputStream(pipe)) {
                  for (byte[] part : parts) {
                    out.write(part);
                    Thread.sleep(100);
                  }
                }
                return null;
              });
      Run run = Run.of("replay", "--json", pipe.toString());
      written.get();
      return run;
    } finally {
      other.shutdownNow();
    }
  }

  /** Where nobody reads the pipe, its writer waits for ever. */
  private static Thread daemon(Runnable writer) {
    Thread thread = new Thread(writer, "writer");
    thread.setDaemon(true);
    return thread;
  }

  private static void assertWhole(Run run) throws IOException {
    assertEquals(0, run.code(), run.err());
    assertEquals(3, run.json().path("traces").path(0).path("events").asInt(), run.out());
  }

  @Test
  @DisplayName("is read as from a file")
  void plain() throws IOException, InterruptedException, ExecutionException {
    assertWhole(run(bytes(BEGIN), bytes(END)));
  }

  @Test
  @DisplayName("is unpacked, even if it arrives in pieces")
  void gzip() throws IOException, InterruptedException, ExecutionException {
    assertWhole(run(packed(BEGIN), packed(END)));
  }

  @Test
  @DisplayName("is refused if it ends too early")
  void cutOff() throws IOException, InterruptedException, ExecutionException {
    byte[] whole = packed(BEGIN + END);
    byte[] half = new byte[whole.length / 2];
    System.arraycopy(whole, 0, half, 0, half.length);
    Run run = run(half);
    assertEquals(2, run.code(), run.out());
    assertTrue(run.err().contains("the gzip data end too early"), run.err());
  }
}
