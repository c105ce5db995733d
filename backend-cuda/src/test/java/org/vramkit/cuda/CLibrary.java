package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** Libraries in C that tests call, built where the machine has a compiler. */
public final class CLibrary {
  private CLibrary() {}

  /**
   * Builds one of the module's {@code src/test/c}; a test without a compiler is skipped.
   *
   * @param source its file
   * @param library what is made
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
