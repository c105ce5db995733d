package org.vramkit.jcuda;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ServiceLoader;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.api.error.BackendNotAvailableException;
import org.vramkit.api.spi.Availability;
import org.vramkit.api.spi.BackendProvider;

@DisplayName("The JCuda backend is found, and says why it cannot be used")
class JCudaBackendProviderTest {

  /** JCuda reuses a library that an earlier process left in the folder for temporary files. */
  @BeforeAll
  static void noLeftOvers(@TempDir Path empty) {
    System.setProperty("java.io.tmpdir", empty.toString());
  }

  @Test
  @DisplayName("the service loader finds it, above the simulator")
  void found() {
    BackendProvider provider = ServiceLoader.load(BackendProvider.class).findFirst().orElseThrow();
    assertEquals("jcuda", provider.getName());
    assertTrue(provider.getPriority() > BackendProvider.SIMULATOR_PRIORITY);
  }

  @Test
  @DisplayName("without the binding's natives, each probe names them")
  void withoutNatives() {
    BackendProvider provider = new JCudaBackendProvider();
    Availability first = provider.probe();
    assertAll(
        () -> assertFalse(first.available()),
        () -> assertTrue(first.reason().contains("org.jcuda:jcuda-natives"), first.reason()),
        () -> assertEquals(1, first.reason().lines().count()),
        () -> assertEquals(first, provider.probe(), "the same reason again"));
    BackendNotAvailableException error =
        assertThrows(BackendNotAvailableException.class, provider::open);
    assertTrue(error.toString().contains(first.reason()));
  }
}
