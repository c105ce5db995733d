package org.vramkit.testkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Parameter;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.platform.commons.JUnitException;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

@DisplayName("Parameters of a test on simulated GPUs")
class ParametersTest {

  @SimulatedGpu(devices = 2, profile = "A100_80GB")
  static class Typed {
    @Test
    void byInterface(Backend backend, Device device, Stream a, Stream b) {
      assertSame(backend, device.getBackend());
      assertSame(device, a.getDevice());
      assertNotSame(a, b);
      assertEquals(2, backend.getDevices().size());
    }

    @Test
    void byClass(SimBackend backend, SimDevice device, @Ordinal(1) SimStream other) {
      assertSame(backend.getDevice(0), device);
      assertSame(backend.getDevice(1), other.getDevice());
      assertEquals(DeviceProfile.A100_80GB.properties(), other.getDevice().getProperties());
    }
  }

  @Test
  @DisplayName("are backends, devices and streams, by interface or class, of the device wanted")
  void types() {
    Outcome.of(Typed.class).expect(2, 0);
  }

  @SimulatedGpu(
      profile = {"RTX_4090", "SMALL_8GIB"},
      memory = "512MiB")
  static class Sized {
    @Test
    void ofEachProfile(SimBackend backend) {
      assertEquals(2, backend.getDevices().size());
      String name = backend.getDevice(0).getProperties().name();
      assertEquals(DeviceProfile.RTX_4090.properties().name(), name);
      assertEquals(512 * ByteSize.MIB, backend.getDevice(1).getMemoryInfo().totalBytes());
    }

    @Test
    @SimulatedGpu
    void ofTheNearestAnnotation(SimBackend backend) {
      assertEquals(1, backend.getDevices().size());
      assertEquals(DeviceProfile.H200.properties(), backend.getDevice(0).getProperties());
    }
  }

  @Test
  @DisplayName("follow the annotation: a profile for each device, the memory, the nearest one")
  void settings() {
    Outcome.of(Sized.class).expect(2, 0);
  }

  static class Wrong {
    @Test
    @SimulatedGpu(profile = "H2O0")
    void unknownProfile(SimDevice device) {}
  }

  @Test
  @DisplayName("of an unknown profile are rejected with a list of the profiles")
  void unknownProfile() {
    String message = message(Wrong.class);
    assertTrue(message.contains("'H2O0'") && message.contains("RTX_4090"), message);
  }

  static class Unsized {
    @Test
    @SimulatedGpu(memory = "64 megs")
    void unknownUnit(SimDevice device) {}
  }

  @Test
  @DisplayName("of memory that is no size are refused by the attribute and its value")
  void unknownUnit() {
    String message = message(Unsized.class);
    assertTrue(message.contains("@SimulatedGpu(memory = \"64 megs\"): "), message);
    assertTrue(message.contains("GiB"), message);
  }

  static class Uneven {
    @Test
    @SimulatedGpu(
        devices = 3,
        profile = {"H200", "RTX_4090"})
    void twoProfilesForThree(SimDevice device) {}
  }

  @Test
  @DisplayName("of three devices with two profiles are refused")
  void uneven() {
    String message = message(Uneven.class);
    assertTrue(message.contains("3 devices and the profiles [H200, RTX_4090]"), message);
  }

  static class OrdinalOfBackend {
    @Test
    @SimulatedGpu
    void whichBackend(@Ordinal(1) Backend backend) {}
  }

  @Test
  @DisplayName("that are backends have no ordinal")
  void ordinalOfBackend() {
    assertTrue(message(OrdinalOfBackend.class).contains("@Ordinal picks a device"));
  }

  static class ThirdOfTwo {
    @Test
    @SimulatedGpu(devices = 2)
    void third(@Ordinal(2) SimDevice device) {}
  }

  @Test
  @DisplayName("of a missing device are rejected with the way to add more")
  void ordinalBeyond() {
    String message = message(ThirdOfTwo.class);
    assertTrue(message.contains("has 2, numbered from 0"), message);
    assertTrue(message.contains("@SimulatedGpu(devices = 3)"), message);
  }

  @Test
  @DisplayName("that are streams are called by their places where compilers dropped their names")
  void withoutNames() throws NoSuchMethodException {
    Parameter nameless = String.class.getMethod("concat", String.class).getParameters()[0];
    assertFalse(nameless.isNamePresent());
    assertEquals("2", TestGpu.nameOf(nameless, 2));
  }

  @SimulatedGpu
  static class ForTheClass {
    @BeforeAll
    static void tooEarly(SimBackend backend) {}

    @Test
    void never() {}
  }

  @Test
  @DisplayName("are not for @BeforeAll: the error says where to take them")
  void beforeAll() {
    Throwable thrown =
        Outcome.of(ForTheClass.class).results().containerEvents().failed().stream()
            .map(Outcome::throwable)
            .findFirst()
            .orElseThrow();
    assertTrue(thrown instanceof ParameterResolutionException);
    assertTrue(String.valueOf(thrown.getMessage()).contains("of @BeforeEach"));
  }

  private static String message(Class<?> tests) {
    return String.valueOf(
        Outcome.of(tests).expect(0, 1).failure(JUnitException.class).getMessage());
  }
}
