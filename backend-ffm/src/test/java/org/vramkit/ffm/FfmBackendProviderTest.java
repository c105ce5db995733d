package org.vramkit.ffm;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.DataInputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.api.error.BackendNotAvailableException;
import org.vramkit.api.spi.Availability;
import org.vramkit.api.spi.BackendProvider;

@DisplayName("The backend is found, and says why it cannot be used")
class FfmBackendProviderTest {

  private static boolean hasDriver() {
    try {
      SymbolLookup found = SymbolLookup.libraryLookup("libcuda.so.1", Arena.global());
      return found.find("cuInit").isPresent();
    } catch (IllegalArgumentException none) {
      return false;
    }
  }

  @Test
  @DisplayName("23.1 the service loader finds it, above all others")
  void found() {
    BackendProvider provider =
        ServiceLoader.load(BackendProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(each -> each.getName().equals("ffm"))
            .findFirst()
            .orElseThrow();
    assertEquals(300, provider.getPriority());
  }

  @Test
  @DisplayName("23.1 without a driver, each probe says so in one line")
  void withoutDriver() {
    assumeFalse(hasDriver(), "this machine has a driver");
    BackendProvider provider = new FfmBackendProvider();
    Availability first = provider.probe();
    assertAll(
        () -> assertFalse(first.available()),
        () -> assertTrue(first.reason().startsWith("no NVIDIA driver"), first.reason()),
        () -> assertEquals(1, first.reason().lines().count()),
        () -> assertEquals(first, provider.probe()));
    BackendNotAvailableException error =
        assertThrows(BackendNotAvailableException.class, provider::open);
    assertTrue(error.toString().contains(first.reason()));
  }

  @Test
  @DisplayName("23.1 a library that is there and broken is named with what the linker says")
  void brokenLibrary(@TempDir Path folder) throws IOException {
    Path broken = Files.writeString(folder.resolve("libcuda.so.1"), "not a library", UTF_8);
    BackendNotAvailableException error =
        assertThrows(
            BackendNotAvailableException.class,
            () -> DriverLibrary.load(List.of("libno-such.so.9", broken.toString())));
    assertTrue(error.toString().contains(broken.toString()), error.toString());
    assertTrue(error.toString().contains("does not load"), error.toString());
  }

  @Test
  @DisplayName("23.1 the classes of the jar that an older JVM loads are compiled for JDK 17")
  void classFiles() throws IOException {
    assertEquals(61, versionOf(FfmBackendProvider.class));
    assertTrue(versionOf(FfmDriver.class) >= 66);
  }

  private static int versionOf(Class<?> type) throws IOException {
    try (DataInputStream file =
        new DataInputStream(type.getResourceAsStream(type.getSimpleName() + ".class"))) {
      assertEquals(0xCAFEBABE, file.readInt());
      file.readUnsignedShort();
      return file.readUnsignedShort();
    }
  }
}
