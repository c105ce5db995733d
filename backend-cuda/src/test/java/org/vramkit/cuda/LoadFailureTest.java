package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mockito.Mockito;
import org.vramkit.api.spi.Availability;
import org.vramkit.cuda.driver.BindingLoad;
import org.vramkit.cuda.driver.BindingVersion;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.DeviceCalls;
import org.vramkit.sim.SimBackend;

@DisplayName(
    "The reason why CUDA is not available is one line, with the first reason" + " that applies")
class LoadFailureTest {
  private static final String NATIVES = "org.example:natives";

  private static String reasonOf(Throwable failure) {
    Availability found =
        CudaProbe.probe(
            () -> {
              throwUnchecked(failure);
              return driver(0, 13000, 1);
            },
            NATIVES);
    assertFalse(found.available());
    assertEquals(1, found.reason().lines().count(), found.reason());
    return found.reason();
  }

  private static UnsatisfiedLinkError error(String text, String cause) {
    UnsatisfiedLinkError error = new UnsatisfiedLinkError(text);
    if (!cause.isEmpty()) {
      error.initCause(new UnsatisfiedLinkError(cause));
    }
    return error;
  }

  @Test
  @DisplayName("no driver, no runtime, no natives and other reasons are distinguished")
  void loading() {
    assertAll(
        () ->
            assertTrue(
                reasonOf(
                        error(
                            "no jnicudart in java.library.path: /lib",
                            "libjnicudart.so: libcuda.so.1: cannot open shared object file"))
                    .startsWith("no NVIDIA driver")),
        () ->
            assertTrue(
                reasonOf(
                        error(
                            "no jnicudart in java.library.path: /lib",
                            "libjnicudart.so: libcudart.so.13: cannot open shared object file"))
                    .contains("libcudart.so.13")),
        () ->
            assertTrue(
                reasonOf(
                        error(
                            "no jnicudart in java.library.path: /lib",
                            "Could not find jnicudart in class, module, and library paths."))
                    .contains(NATIVES)),
        () ->
            assertTrue(
                reasonOf(
                        error(
                            "no jnicudart in java.library.path: /lib",
                            "libjnicudart.so: /lib/libc.so.6: version `GLIBC_2.34' not found"
                                + " (required by libjnicudart.so)"))
                    .contains("GLIBC_2.34"),
                "natives that are there but too new"),
        () ->
            assertTrue(
                reasonOf(
                        error(
                            """
                            Error while loading native library
                            no JCudaDriver in java.library.path: /lib
                            libJCudaDriver.so: libcuda.so.1: cannot open
                            """,
                            ""))
                    .startsWith("no NVIDIA driver")),
        () ->
            assertTrue(
                reasonOf(error("libjnicudart.so: libcuda.so.1: file too short", ""))
                    .contains("file too short"),
                "a driver that is there but broken"),
        () ->
            assertEquals(
                "the binding's classes are not on the class path: org.example.Binding; add the"
                    + " backend with its dependencies, and "
                    + NATIVES,
                reasonOf(
                    new NoClassDefFoundError("org/example/Binding")
                        .initCause(new ClassNotFoundException("org.example.Binding")))),
        () ->
            assertTrue(
                reasonOf(new IllegalStateException("odd\nthings")).contains("odd"), "the rest"));
  }

  @Test
  @DisplayName("17.22 a class of Vramkit that lacks another tells of unequal versions")
  void unequalVersions() {
    for (LinkageError unequal :
        List.of(
            new NoClassDefFoundError("org/vramkit/cuda/driver/EventCalls"),
            new NoSuchMethodError("'int org.vramkit.cuda.driver.EventCalls.cuEventElapsed()'"))) {
      String reason = reasonOf(unequal);
      assertTrue(reason.contains("unequal versions"), reason);
      assertTrue(reason.contains("vramkit-bom"), reason);
    }
    String binding = reasonOf(new NoSuchMethodError("'int org.example.Binding.cuInit()'"));
    assertTrue(binding.startsWith("the binding does not load"), binding);
  }

  private static CudaDriver driver(int init, int version, int count) {
    CudaDriver driver = mock(CudaDriver.class);
    DeviceCalls devices = mock(DeviceCalls.class);
    when(driver.devices()).thenReturn(devices);
    when(driver.getBinding()).thenReturn("a binding");
    when(devices.nameOf(init)).thenReturn("NAME");
    when(devices.cuInit()).thenReturn(init);
    when(devices.cuDriverGetVersion(any()))
        .thenAnswer(
            call -> {
              call.getArgument(0, int[].class)[0] = version;
              return 0;
            });
    when(devices.cuDeviceGetCount(any()))
        .thenAnswer(
            call -> {
              call.getArgument(0, int[].class)[0] = count;
              return 0;
            });
    return driver;
  }

  @Test
  @DisplayName("no device, a refusal and an old driver are distinguished")
  void asking() {
    assertAll(
        () ->
            assertTrue(CudaProbe.probe(() -> driver(100, 0, 0), NATIVES).reason().contains("GPU")),
        () ->
            assertTrue(
                CudaProbe.probe(() -> driver(803, 0, 0), NATIVES)
                    .reason()
                    .contains("cuInit returned 803 (NAME)")),
        () ->
            assertTrue(
                CudaProbe.probe(() -> driver(0, 10020, 1), NATIVES).reason().contains("10.2")),
        () -> assertFalse(CudaProbe.probe(() -> driver(0, 13000, 0), NATIVES).available()));
  }

  @Test
  @DisplayName("if the binding loads, the reason says what was found")
  void available() {
    Availability found =
        CudaProbe.probe(() -> new SimulatedDriver(SimBackend.builder().build()), NATIVES);
    assertTrue(found.available());
    assertEquals("1 GPU, driver for CUDA 13.0, simulated driver", found.reason());
  }

  @ParameterizedTest
  @MethodSource("failures")
  @DisplayName("the reason is the same at every look, though loading again would tell another one")
  void sameReason(Throwable first) {
    int[] attempts = new int[1];
    BindingLoad load =
        BindingLoad.attempt(
            () -> {
              attempts[0]++;
              throwUnchecked(first);
            });
    for (int look = 0; look < 2; look++) {
      Availability found =
          CudaProbe.probe(
              () -> {
                load.require();
                return driver(0, 13000, 1);
              },
              NATIVES);
      assertFalse(found.available());
      assertTrue(found.reason().contains("the true reason"), found.reason());
    }
    assertEquals(1, attempts[0]);
  }

  private static List<Throwable> failures() {
    return List.of(
        new UnsatisfiedLinkError("the true reason"), new IllegalStateException("the true reason"));
  }

  private static void throwUnchecked(Throwable failure) {
    if (failure instanceof LinkageError error) {
      throw error;
    }
    throw (RuntimeException) failure;
  }

  @Test
  @DisplayName("a binding's version is the version of its jar, or unknown if the jar has none")
  void version() {
    assertTrue(
        BindingVersion.of(Mockito.class, "no.such", "artifact").contains("unknown"),
        "no properties");
  }
}
