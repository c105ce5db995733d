package org.vramkit.api.error;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.units.ByteSize;

@DisplayName("Errors")
class ErrorsTest {
  private static final DriverStatus STATUS =
      new DriverStatus(DriverStatus.OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "cuMemAlloc");

  @Test
  @DisplayName("of the driver carry its status, and end with it in words")
  void driverErrors() {
    List<GpuException> errors =
        List.of(
            new DriverException("it failed", STATUS),
            new InvalidArgumentException("it failed", STATUS),
            new NotSupportedException("it failed", STATUS),
            new FatalDeviceException("it failed", STATUS),
            new DeviceOutOfMemoryException("it failed", 1, STATUS, null));
    for (GpuException error : errors) {
      assertEquals(
          "it failed [cuMemAlloc returned 2 (CUDA_ERROR_OUT_OF_MEMORY)]", error.getMessage());
      assertSame(STATUS, error.getStatus());
    }
  }

  @Test
  @DisplayName("found before any driver call have the status of none, and say nothing of a driver")
  void ownErrors() {
    List<GpuException> errors =
        List.of(
            new DriverException("it failed"),
            new InvalidArgumentException("it failed"),
            new NotSupportedException("it failed"),
            new FatalDeviceException("it failed"),
            new BackendNotAvailableException("it failed"));
    for (GpuException error : errors) {
      assertEquals("it failed", error.getMessage());
      assertSame(DriverStatus.NONE, error.getStatus());
    }
  }

  @Test
  @DisplayName("of memory tell the size to people and to programs")
  void outOfMemory() {
    DeviceOutOfMemoryException error = new DeviceOutOfMemoryException(3 * ByteSize.GIB / 2, STATUS);
    assertEquals(3 * ByteSize.GIB / 2, error.getRequestedBytes());
    assertEquals(
        "out of memory: asked for 1.50 GiB [cuMemAlloc returned 2 (CUDA_ERROR_OUT_OF_MEMORY)]",
        error.getMessage());
  }

  @Test
  @DisplayName("of loading keep the first cause")
  void loading() {
    LinkageError cause = new UnsatisfiedLinkError("libcuda.so.1");
    BackendNotAvailableException error = new BackendNotAvailableException("no GPU", cause);
    assertAll(
        () -> assertSame(cause, error.getCause()),
        () -> assertEquals("no driver call", error.getStatus().toString()));
  }
}
