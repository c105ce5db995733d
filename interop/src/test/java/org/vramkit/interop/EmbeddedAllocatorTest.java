package org.vramkit.interop;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Builds {@code vramkit_torch.cpp} and a program around it, and runs it on the simulator. */
@DisplayName("A program that is not Java's starts a JVM and takes its memory from the allocator")
class EmbeddedAllocatorTest {
  private static final Path JAVA_HOME = Path.of(System.getProperty("java.home"));
  private static final Path LIBJVM = JAVA_HOME.resolve(Path.of("lib", "server", "libjvm.so"));
  private static final String CLASS_PATH = System.getProperty("java.class.path");
  private static final int THREADS = 3;
  private static final int PAIRS = 2000;

  @TempDir private static Path folder;

  /** The exit status of a program, and all output of it and its JVM. */
  private record Outcome(int status, String output) {
    void assertPrinted(String text) {
      assertTrue(output.contains(text), () -> "\"" + text + "\" is not in\n" + output);
    }

    long count(String text) {
      return output.lines().filter(line -> line.contains(text)).count();
    }
  }

  @BeforeAll
  static void build() throws IOException, InterruptedException {
    Assumptions.assumeTrue(Files.exists(LIBJVM), () -> "no " + LIBJVM + ": not a JVM of Linux");
    Path headers = JAVA_HOME.resolve("include");
    Assumptions.assumeTrue(Files.exists(headers), () -> "no JNI headers in " + headers);
    compile(
        "-shared",
        "-fPIC",
        "-I" + headers,
        "-I" + headers.resolve("linux"),
        "-o",
        library(),
        Path.of("src", "main", "torch", "vramkit_torch.cpp").toString(),
        "-ldl");
    compile(
        "-o",
        program(),
        Path.of("src", "test", "cpp", "embedder.cpp").toString(),
        "-ldl",
        "-pthread");
  }

  private static String library() {
    return folder.resolve("libvramkit_torch.so").toString();
  }

  private static String program() {
    return folder.resolve("embedder").toString();
  }

  private static void compile(String... arguments) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of("c++", "-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror"));
    command.addAll(List.of(arguments));
    Outcome outcome;
    try {
      outcome = run(new ProcessBuilder(command));
    } catch (IOException e) {
      Assumptions.abort("no C++ compiler here: " + e.getMessage());
      throw e;
    }
    assertEquals(0, outcome.status(), outcome.output());
  }

  private static Outcome run(ProcessBuilder builder) throws IOException, InterruptedException {
    Process process = builder.redirectErrorStream(true).start();
    byte[] output = process.getInputStream().readAllBytes();
    return new Outcome(process.waitFor(), new String(output, StandardCharsets.UTF_8));
  }

  private static Outcome embed(Path libjvm, String classPath, String... options)
      throws IOException, InterruptedException {
    return embed(PAIRS, libjvm, classPath, options);
  }

  private static Outcome embed(int pairs, Path libjvm, String classPath, String... options)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                program(),
                library(),
                libjvm.toString(),
                Integer.toString(THREADS),
                Integer.toString(pairs),
                "-Djava.class.path=" + classPath,
                "-Dvramkit.backend=sim",
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx128m"));
    command.addAll(List.of(options));
    return run(new ProcessBuilder(command));
  }

  @Test
  @DisplayName("23.11 its threads take memory, a refusal is an exception, and nothing stays live")
  void serves() throws IOException, InterruptedException {
    Outcome outcome = embed(LIBJVM, CLASS_PATH);
    int allocations = (1 + THREADS) * PAIRS + 200 + 1000 + 1;
    assertAll(
        () -> assertEquals(0, outcome.status(), outcome.output()),
        () -> outcome.assertPrinted("before the start: Vramkit is not started; call vramkit_start"),
        () -> outcome.assertPrinted("refused: org.vramkit.api.allocator.AllocatorOutOfMemory"),
        () -> outcome.assertPrinted("asked for 1.00 EiB"),
        () -> outcome.assertPrinted("many of one size: 1000 blocks, 4096000 bytes"),
        () -> outcome.assertPrinted("freed: 0 bytes"),
        () -> outcome.assertPrinted("requested 0, reserved more, " + allocations + " allocations"),
        () -> outcome.assertPrinted("reserved after empty_cache: 0"),
        () -> outcome.assertPrinted("once more: vramkit_start was called before"));
  }

  @Test
  @DisplayName("23.11 each of its threads is attached once, and detached when it ends")
  void attachesOnce() throws IOException, InterruptedException {
    Outcome outcome = embed(LIBJVM, CLASS_PATH, "-Xlog:os+thread");
    assertAll(
        () -> assertEquals(0, outcome.status(), outcome.output()),
        // The thread that creates the JVM is attached by the creation.
        () -> assertEquals(1 + THREADS, outcome.count("Thread attached"), outcome.output()),
        () -> assertEquals(THREADS, outcome.count("JavaThread detaching"), outcome.output()));
  }

  @Test
  @DisplayName("23.11 a thread takes the blocks that it freed, and wrong frees are reported")
  void holdsFreedBlocks() throws IOException, InterruptedException {
    Outcome outcome = embed(0, LIBJVM, CLASS_PATH, "-Dvramkit.allocator.limit=32MiB");
    assertAll(
        () -> assertEquals(0, outcome.status(), outcome.output()),
        () -> outcome.assertPrinted("the same block: 1"),
        () -> outcome.assertPrinted("live 65536\nfreed, live 0"),
        () -> outcome.assertPrinted("taken twice: 0"),
        () -> outcome.assertPrinted("taken twice, for another stream: 0"),
        () -> outcome.assertPrinted("after many, live 0"),
        () -> outcome.assertPrinted("after empty_cache, reserved 0"),
        // Four second frees, an address of no block, and the use of a freed block.
        () -> assertEquals(6, outcome.count("no live block at 0x"), outcome.output()),
        () -> outcome.assertPrinted("large: 1"),
        () -> outcome.assertPrinted("a block of two threads: 0"),
        () -> outcome.assertPrinted("at the end, live 0"));
  }

  /** Compiles a class that starts as the real one does, with fewer functions. */
  private Path jarsOfAnotherVersion() throws IOException {
    Path source = Files.createDirectories(folder.resolve("older")).resolve("Embedded.java");
    Files.writeString(
        source,
        "package org.vramkit.interop;"
            + " class EmbeddedAllocator { static long[] start(int device) { return new long[3]; } }");
    Path classes = folder.resolve("older-classes");
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-d", classes.toString(), source.toString());
    assertEquals(0, status);
    return classes;
  }

  @Test
  @DisplayName(
      "23.11 an embedding that fails to start says what was wanted, what was found and the"
          + " remedy")
  void doesNotStart() throws IOException, InterruptedException {
    Outcome noJvm = embed(folder.resolve("libjvm.so"), CLASS_PATH);
    assertEquals(3, noJvm.status(), noJvm.output());
    noJvm.assertPrinted("failure: cannot load the JVM: ");
    noJvm.assertPrinted("pass the path of lib/server/libjvm.so of a JDK or JRE");

    Outcome noClass = embed(LIBJVM, folder.toString());
    assertEquals(3, noClass.status(), noClass.output());
    noClass.assertPrinted("failure: java.lang.NoClassDefFoundError: org/vramkit/interop/Embedded");

    Outcome otherVersion = embed(LIBJVM, jarsOfAnotherVersion().toString());
    assertEquals(3, otherVersion.status(), otherVersion.output());
    otherVersion.assertPrinted("failure: this library expects 9 functions of Vramkit's jars");
    otherVersion.assertPrinted("which have 3; build the library from the sources of the same");

    Outcome badOption = embed(LIBJVM, CLASS_PATH, "--no-such-option");
    assertEquals(3, badOption.status(), badOption.output());
    badOption.assertPrinted("failure: the JVM does not start (JNI error ");

    Outcome noBackend = embed(LIBJVM, CLASS_PATH, "-Dvramkit.backend=none");
    assertEquals(3, noBackend.status(), noBackend.output());
    noBackend.assertPrinted("failure: org.vramkit.api.error.BackendNotAvailableException: ");
  }

  @Test
  @DisplayName("23.11 the Python module hands PyTorch the functions of the allocator")
  void python() throws IOException, InterruptedException {
    Path source = Path.of("src").toAbsolutePath();
    ProcessBuilder builder =
        new ProcessBuilder(
            "python3",
            source.resolve(Path.of("test", "python", "trains.py")).toString(),
            library(),
            LIBJVM.toString(),
            CLASS_PATH);
    builder.environment().put("PYTHONPATH", source.resolve(Path.of("main", "torch")).toString());
    builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
    Outcome outcome;
    try {
      outcome = run(builder);
    } catch (IOException e) {
      Assumptions.abort("no Python here: " + e.getMessage());
      throw e;
    }
    assertAll(
        () -> assertEquals(0, outcome.status(), outcome.output()),
        () -> outcome.assertPrinted("no JVM, no memory: cannot load the JVM: "),
        () -> outcome.assertPrinted("holds 1048576 in 5"),
        () -> outcome.assertPrinted("at the end 0 of 0"));
  }
}
