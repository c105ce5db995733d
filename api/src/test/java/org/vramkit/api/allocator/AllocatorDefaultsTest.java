package org.vramkit.api.allocator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyByte;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.mockito.Answers;
import org.mockito.InOrder;
import org.mockito.Mockito;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.InvalidArgumentException;

@DisplayName("The default methods of Allocator")
class AllocatorDefaultsTest {
  private static final long ADDRESS = 0x7000_0000L;

  private final Allocator allocator =
      mock(Allocator.class, Mockito.withSettings().defaultAnswer(Answers.CALLS_REAL_METHODS));
  private final Stream stream = mock(Stream.class);
  private final Allocation allocation = mock(Allocation.class);

  @BeforeEach
  void allocateKnownMemory() {
    when(allocation.getAddress()).thenReturn(ADDRESS);
    Mockito.doAnswer(
            call -> {
              when(allocation.getSize()).thenReturn(call.getArgument(0));
              return allocation;
            })
        .when(allocator)
        .allocate(anyLong(), any(Stream.class));
  }

  @Test
  @DisplayName("allocate on the default stream when none is given")
  void defaultStream() {
    Device device = mock(Device.class);
    Mockito.doReturn(device).when(allocator).getDevice();
    when(device.getDefaultStream()).thenReturn(stream);
    assertSame(allocation, allocator.allocate(100));
    verify(allocator).allocate(100L, stream);
  }

  @Test
  @DisplayName("S4.9 count bytes by the width of the type")
  void elements() {
    allocator.allocate(1001, ElementType.FLOAT64, stream);
    verify(allocator).allocate(8008L, stream);
    verifyNoInteractions(stream);
  }

  @Test
  @DisplayName("S3.1 refuse counts that are negative or overflow before anything is allocated")
  void elementErrors() {
    for (long count : new long[] {-1, Long.MAX_VALUE}) {
      InvalidArgumentException error =
          assertThrows(
              InvalidArgumentException.class,
              () -> allocator.allocate(count, ElementType.INT32, stream));
      String message = String.valueOf(error.getMessage());
      assertTrue(message.contains("INT32") && message.contains(count + " elements x 4"), message);
    }
    verify(allocator, never()).allocate(anyLong(), any(Stream.class));
  }

  @Test
  @DisplayName("S4.9 zero by one fill of the whole allocation")
  void zeroed() {
    assertSame(allocation, allocator.allocateZeroed(10, ElementType.INT16, stream));
    InOrder order = inOrder(allocator, stream);
    order.verify(allocator).allocate(20L, stream);
    order.verify(stream).fill(ADDRESS, (byte) 0, 20);
    Mockito.verifyNoMoreInteractions(stream);
    verify(allocation, never()).close();
  }

  @Test
  @DisplayName("S4.9 copy what a buffer has left")
  void copied() {
    ByteBuffer source = ByteBuffer.allocate(16).position(6);
    assertSame(allocation, allocator.allocateCopy(source, stream));
    verify(allocator).allocate(10L, stream);
    verify(stream).copyToDevice(ADDRESS, source);
    assertEquals(6, source.position());
  }

  @Test
  @DisplayName("S4.9 submit nothing for an empty allocation")
  void empty() {
    allocator.allocateZeroed(0, ElementType.INT16, stream);
    allocator.allocateCopy(ByteBuffer.allocate(0), stream);
    verifyNoInteractions(stream);
  }

  @Test
  @DisplayName("close the allocation when its fill fails, and tell the failure of the fill")
  void failingFill() {
    DriverException failure = new DriverException("fill refused");
    doThrow(failure).when(stream).fill(anyLong(), anyByte(), anyLong());
    assertSame(
        failure,
        assertThrows(
            DriverException.class, () -> allocator.allocateZeroed(10, ElementType.INT16, stream)));
    verify(allocation).close();
  }

  @Test
  @DisplayName("close the allocation when its copy fails, and add what the close says")
  void failingCopyAndClose() {
    DriverException failure = new DriverException("copy refused");
    DriverException second = new DriverException("close refused");
    doThrow(failure).when(stream).copyToDevice(anyLong(), any(ByteBuffer.class));
    doThrow(second).when(allocation).close();
    DriverException thrown =
        assertThrows(
            DriverException.class, () -> allocator.allocateCopy(ByteBuffer.allocate(4), stream));
    assertSame(failure, thrown);
    assertSame(second, thrown.getSuppressed()[0]);
  }
}
