package org.vramkit.jcuda;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import jcuda.CudaException;
import jcuda.NativePointerObject;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.openjdk.jol.info.ClassLayout;
import org.vramkit.cuda.driver.BindingVersion;
import org.vramkit.cuda.driver.HostMemory;

@DisplayName("Defects of JCuda do not reach the application")
class BindingDefectsTest {

  @Test
  @DisplayName("the eight bytes behind a pool's pointer, which JCuda overwrites, are its own spare")
  void paddedPool() {
    assertEquals(offsetOf("nativePointer") + Long.BYTES, offsetOf("spare"));
  }

  private static long offsetOf(String field) {
    return ClassLayout.parseClass(PaddedPool.class).fields().stream()
        .filter(each -> each.name().equals(field))
        .findFirst()
        .orElseThrow()
        .offset();
  }

  @Test
  @DisplayName("a result is a number whether JCuda returns or throws it")
  void results() {
    assertAll(
        () -> assertEquals(600, Results.of(() -> 600)),
        () -> assertEquals(600, Results.of(() -> thrown(600))),
        () -> assertEquals(2, Results.of(() -> thrown(2))),
        () -> assertEquals(700, Results.of(() -> thrown(700))),
        () -> assertEquals(999, Results.of(() -> thrown("what JCuda made up"))));
  }

  private static int thrown(int result) {
    return thrown(CUresult.stringFor(result));
  }

  private static int thrown(String message) {
    throw new CudaException(message);
  }

  @Test
  @DisplayName("page-locked memory larger than a Java buffer is rejected without a driver call")
  void hugePageLockedMemory() {
    HostMemory[] none = new HostMemory[1];
    assertEquals(801, new JCudaMemory().cuMemAllocHost(none, 1L << 31));
    assertNull(none[0]);
  }

  @Test
  @DisplayName("addresses go into pointers and come back, offsets included")
  void addresses() {
    CUdeviceptr pointer = new DevicePointer(0x7f00_0000_0100L);
    assertAll(
        () -> assertEquals(0x7f00_0000_0100L, NativePointers.addressOf(pointer)),
        () -> assertEquals(0x7f00_0000_0110L, NativePointers.addressOf(pointer.withByteOffset(16))),
        () -> assertEquals(0, NativePointers.addressOf(new CUdeviceptr())));
  }

  @Test
  @DisplayName("a context tells the address that JCuda put into it")
  void contextAddress() throws ReflectiveOperationException {
    ContextPointer context = new ContextPointer();
    Field pointer = NativePointerObject.class.getDeclaredField("nativePointer");
    pointer.setAccessible(true);
    pointer.setLong(context, 0x7f00_0000_0100L);
    assertEquals(0x7f00_0000_0100L, context.address());
  }

  @Test
  @DisplayName("JCuda's version is that of its jar; its constants say 12.0 in 12.6.0")
  void version() {
    String version = BindingVersion.of(JCudaDriver.class, "org.jcuda", "jcuda");
    assertTrue(version.matches("\\d+(\\.\\d+)+.*"), version);
  }
}
