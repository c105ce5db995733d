package org.vramkit.ffm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.Handle;

class CriticalCallsTest {
  private static final int CALLS = 100_000;

  @Test
  @DisplayName("23.1 short questions are critical calls, which a library in C answers rightly")
  void questions() throws IOException, InterruptedException {
    CudaDriver driver = FfmDriver.of(SymbolLookup.libraryLookup(built(), Arena.global()), true);
    Handle[] current = new Handle[1];
    // As many as it takes to be compiled.
    for (int i = 0; i < CALLS; i++) {
      assertEquals(i % 2 == 0 ? 0 : 600, driver.events().cuEventQuery(new FfmHandle(i)));
      assertEquals(i % 2 == 0 ? 0 : 700, driver.streams().cuStreamQuery(new FfmHandle(i)));
      assertEquals(CudaResult.SUCCESS, driver.contexts().cuCtxGetCurrent(current));
      assertEquals(0x7700, current[0].getAddress());
    }
    assertEquals(999, driver.contexts().cuCtxSynchronize());
  }

  /** The library; a machine without a compiler skips the test. */
  private static Path built() throws IOException, InterruptedException {
    Path library = Files.createTempDirectory("vramkit-answers").resolve("libanswers.so");
    String source = Path.of("src", "test", "c", "answers.c").toString();
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
                  source)
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
