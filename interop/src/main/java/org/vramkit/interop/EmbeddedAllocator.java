package org.vramkit.interop;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.vramkit.api.Experimental;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.error.BackendNotAvailableException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;

/**
 * The allocator of a native program that embeds a JVM, such as a Python interpreter with PyTorch.
 * The allocator lives until the process ends. The program calls {@link #start} through JNI, and
 * then only C functions. {@code vramkit_torch.cpp} is an example.
 */
@Experimental
public final class EmbeddedAllocator {
  /** Free bytes from which on more blocks are allocated than asked for. */
  private static final long PLENTY = 64 * ByteSize.MIB;

  /** Number of calls that rely on the free bytes once read. */
  private static final int ASKED_BETWEEN = 64;

  private final AtomicInteger asked = new AtomicInteger();
  private volatile boolean plenty;

  private final CachingAllocator allocator;
  private final NativeAllocator natives;

  private EmbeddedAllocator(Device device) {
    allocator = CachingAllocator.create(device);
    natives =
        NativeAllocator.of(
            allocator, NativeSignature.SIZE_DEVICE_STREAM, device.getDefaultStream());
  }

  /**
   * Opens the backend and an allocator with the default options, as {@link Backends#open()} and
   * {@link CachingAllocator#create}.
   *
   * @param device the ordinal of the device
   * @return the addresses of the C functions, in this order: {@link NativeAllocator#getAllocate},
   *     {@link NativeAllocator#getFree}, {@link NativeAllocator#getEmptyCache}, {@link
   *     NativeAllocator#getRecordUse}; {@code void statistics(int64_t figures[5])}, which writes
   *     requested bytes and their peak, reserved bytes and their peak, and the number of
   *     allocations so far; {@code void last_failure(char* text, int64_t capacity)}, which writes
   *     the last failure of any thread as UTF-8, cut to {@code capacity - 1} bytes and ended by a 0
   *     byte; {@code capacity} must be at least 1, and without a failure the text is {@code nothing
   *     has failed}; {@code void free_all(void* const* memory, int64_t count)}, which frees blocks
   *     that only their own streams have used; {@code void set_reclaim(int64_t (*give_back)())},
   *     which names a function that the allocator calls before an allocation fails: it frees what
   *     the program holds without need, and returns the bytes; {@code void* exchange(int64_t bytes,
   *     int device, cudaStream_t stream, void** blocks, int64_t counts[2])}, which frees the first
   *     {@code counts[0]} blocks and allocates one; if there is much free memory, it allocates up
   *     to {@code counts[1]} more of the same size, and writes them to {@code blocks} and their
   *     number to {@code counts[1]}
   * @throws BackendNotAvailableException if no backend can be opened
   * @throws InvalidArgumentException if there is no device with this ordinal
   */
  public static long[] start(int device) {
    Backend backend = Backends.open();
    try {
      return new EmbeddedAllocator(backend.getDevice(device)).functions();
    } catch (RuntimeException | Error e) {
      backend.close();
      throw e;
    }
  }

  private long[] functions() {
    return new long[] {
      natives.getAllocate().address(),
      natives.getFree().address(),
      natives.getEmptyCache().address(),
      natives.getRecordUse().address(),
      function("statistics", FunctionDescriptor.ofVoid(JAVA_LONG)),
      function("lastFailure", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG)),
      function("freeAll", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG)),
      function("setReclaim", FunctionDescriptor.ofVoid(JAVA_LONG)),
      function(
          "exchange",
          FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG))
    };
  }

  private long function(String method, FunctionDescriptor descriptor) {
    return Upcall.bind(MethodHandles.lookup(), this, method, descriptor).address();
  }

  // ---- called by native code ----

  @SuppressWarnings("UnusedMethod")
  private void statistics(long figures) {
    AllocatorStatistics now = allocator.getStatistics();
    long[] read = {
      now.requested().current(),
      now.requested().peak(),
      now.reserved().current(),
      now.reserved().peak(),
      now.allocations().added()
    };
    MemorySegment.copy(
        read, 0, memory(figures, JAVA_LONG.byteSize() * read.length), JAVA_LONG, 0, read.length);
  }

  @SuppressWarnings("UnusedMethod")
  private void lastFailure(long text, long capacity) {
    String reason = natives.getLastFailure().map(Throwable::toString).orElse("nothing has failed");
    byte[] bytes = reason.getBytes(StandardCharsets.UTF_8);
    int length = (int) Math.min(bytes.length, capacity - 1);
    MemorySegment target = memory(text, capacity);
    MemorySegment.copy(bytes, 0, target, JAVA_BYTE, 0, length);
    target.set(JAVA_BYTE, length, (byte) 0);
  }

  @SuppressWarnings("UnusedMethod")
  private void freeAll(long blocks, long count) {
    natives.freeAll(memory(blocks, JAVA_LONG.byteSize() * count).toArray(JAVA_LONG));
  }

  @SuppressWarnings("UnusedMethod")
  private long exchange(long bytes, int device, long stream, long blocks, long counts) {
    MemorySegment numbers = memory(counts, 2 * JAVA_LONG.byteSize());
    freeAll(blocks, numbers.getAtIndex(JAVA_LONG, 0));
    long wanted = numbers.getAtIndex(JAVA_LONG, 1);
    numbers.setAtIndex(JAVA_LONG, 1, 0);
    long made = natives.allocateOn(bytes, device, stream);
    if (made != 0 && wanted > 0) {
      try {
        numbers.setAtIndex(JAVA_LONG, 1, allocateMore(bytes, device, stream, blocks, wanted));
      } catch (Throwable e) {
        natives.failed(e);
      }
    }
    return made;
  }

  private long allocateMore(long bytes, int device, long stream, long blocks, long wanted) {
    if (!hasPlenty()) {
      return 0;
    }
    MemorySegment more = memory(blocks, wanted * JAVA_LONG.byteSize());
    long count = 0;
    while (count < wanted) {
      long each = natives.allocateOn(bytes, device, stream);
      if (each == 0) {
        break;
      }
      more.setAtIndex(JAVA_LONG, count++, each);
    }
    return count;
  }

  /** Returns whether there was much free memory lately, so that more blocks need no growth. */
  private boolean hasPlenty() {
    if (asked.getAndIncrement() % ASKED_BETWEEN == 0) {
      AllocatorStatistics now = allocator.getStatistics();
      plenty = now.reserved().current() - now.getLiveBytes() >= PLENTY;
    }
    return plenty;
  }

  @SuppressWarnings("UnusedMethod")
  private void setReclaim(long function) {
    MethodHandle giveBack =
        Linker.nativeLinker()
            .downcallHandle(MemorySegment.ofAddress(function), FunctionDescriptor.of(JAVA_LONG));
    allocator.addReclaimer(
        bytes -> {
          try {
            return (long) giveBack.invokeExact();
          } catch (Throwable e) {
            throw new IllegalStateException("a native function threw an exception", e);
          }
        });
  }

  private static MemorySegment memory(long address, long bytes) {
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }
}
