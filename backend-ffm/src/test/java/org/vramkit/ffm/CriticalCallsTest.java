package org.vramkit.ffm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.cuda.CLibrary;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.Handle;

class CriticalCallsTest {
  private static final int CALLS = 100_000;

  @Test
  @DisplayName("23.1 short questions are critical calls, which a library in C answers rightly")
  void questions(@TempDir Path folder) throws IOException, InterruptedException {
    Path library = CLibrary.build("answers.c", folder.resolve("libanswers.so"));
    CudaDriver driver = FfmDriver.of(SymbolLookup.libraryLookup(library, Arena.global()), true);
    Handle[] current = new Handle[1];
    // Enough calls to be compiled.
    for (int i = 0; i < CALLS; i++) {
      assertEquals(i % 2 == 0 ? 0 : 600, driver.events().cuEventQuery(new FfmHandle(i)));
      assertEquals(i % 2 == 0 ? 0 : 700, driver.streams().cuStreamQuery(new FfmHandle(i)));
      assertEquals(CudaResult.SUCCESS, driver.contexts().cuCtxGetCurrent(current));
      assertEquals(0x7700, current[0].getAddress());
    }
    assertEquals(999, driver.contexts().cuCtxSynchronize());
  }
}
