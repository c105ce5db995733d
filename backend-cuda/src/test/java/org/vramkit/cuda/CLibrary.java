package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** Builds the C libraries that tests call, on machines with a compiler. */
public final class CLibrary {
  private CLibrary() {}

  /**
   * Builds a library from the module's {@code src/test/c}. Skips the test if there is no compiler.
   *
   * @param source name of the source file
   * @param library path of the library to build
   */
  public static Path build(String source, Path library) throws IOException, InterruptedException {
    Process compiler;
    try {
      compiler =
          new ProcessBuilder(
                  "cc",
                  "-O2",
                  "-Wall",
                  "-Werror",
                  "-shared",
                  "-fPIC",
                  "-o",
                  library.toString(),
                  Path.of("src", "test", "c", source).toString())
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      Assumptions.abort("no C compiler here: " + e.getMessage());
      throw e;
    }
    String told = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, compiler.waitFor(), told);
    return library;
  }
}
