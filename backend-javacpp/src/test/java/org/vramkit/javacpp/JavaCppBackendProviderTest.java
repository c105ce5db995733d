package org.vramkit.javacpp;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ServiceLoader;
import org.bytedeco.cuda.global.cudart;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.BackendNotAvailableException;
import org.vramkit.api.spi.Availability;
import org.vramkit.api.spi.BackendProvider;
import org.vramkit.cuda.driver.BindingVersion;

@DisplayName("The JavaCPP backend is found, and says why it cannot be used")
class JavaCppBackendProviderTest {

  @Test
  @DisplayName("the service loader finds it, above the simulator")
  void found() {
    BackendProvider provider = ServiceLoader.load(BackendProvider.class).findFirst().orElseThrow();
    assertEquals("javacpp", provider.getName());
    assertTrue(provider.getPriority() > BackendProvider.SIMULATOR_PRIORITY);
  }

  @Test
  @DisplayName("without the binding's natives, each probe names them")
  void withoutNatives() {
    BackendProvider provider = new JavaCppBackendProvider();
    Availability first = provider.probe();
    assertAll(
        () -> assertFalse(first.available()),
        () -> assertTrue(first.reason().contains("org.bytedeco:cuda"), first.reason()),
        () -> assertEquals(1, first.reason().lines().count()),
        () -> assertEquals(first, provider.probe(), "the same reason again"));
    BackendNotAvailableException error =
        assertThrows(BackendNotAvailableException.class, provider::open);
    assertTrue(error.toString().contains(first.reason()));
  }

  @Test
  @DisplayName("the presets' version is that of their jar, which is found without loading them")
  void version() {
    String version = BindingVersion.of(cudart.class, "org.bytedeco", "cuda");
    assertTrue(version.matches("\\d+\\.\\d+-.*"), version);
  }
}
