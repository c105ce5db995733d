package org.vramkit.interop;

import static java.lang.System.Logger.Level.WARNING;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.Experimental;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PrivatePool;

/**
 * A caching allocator as C function pointers, for libraries with pluggable allocators. The
 * functions use a private pool, so that the library's memory is counted separately. Safe for any
 * thread, including native threads.
 *
 * <p>The functions never throw, because that would terminate the JVM. On a failure {@code alloc}
 * returns null, a warning is logged, and {@link #getLastFailure} returns the reason. The functions
 * stay callable for the life of the JVM. After the close {@code alloc} returns null, and {@code
 * free} has no effect.
 */
@Experimental
public final class NativeAllocator implements AutoCloseable {
  private static final System.Logger LOGGER = System.getLogger(NativeAllocator.class.getName());

  private final PrivatePool pool;
  private final Allocator memory;
  private final int ordinal;
  private final Stream stream;
  private final boolean ownsStream;
  private final KnownStreams streams;
  private final LiveBlocks live;
  private final MemorySegment allocate;
  private final MemorySegment free;
  private final MemorySegment emptyCache;
  private final MemorySegment recordUse;

  private volatile @Nullable Throwable lastFailure;
  private volatile boolean closed;

  private NativeAllocator(
      CachingAllocator allocator,
      NativeSignature signature,
      Stream stream,
      boolean ownsStream,
      LiveBlocks live) {
    this.live = live;
    this.stream = stream;
    this.ownsStream = ownsStream;
    this.streams = new KnownStreams(allocator.getDevice());
    streams.add(stream);
    this.pool = allocator.createPool();
    this.memory = pool.getAllocator();
    this.ordinal = allocator.getDevice().getOrdinal();
    if (signature == NativeSignature.SIZE) {
      this.allocate = function("allocate", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
      this.free = function("free", FunctionDescriptor.ofVoid(JAVA_LONG));
    } else {
      this.allocate =
          function("allocateOn", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
      this.free =
          function("freeOn", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
    }
    this.emptyCache = function("emptyCache", FunctionDescriptor.ofVoid());
    this.recordUse = function("recordUse", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
  }

  /**
   * Creates functions for an allocator, on a new stream.
   *
   * @param allocator the allocator, which must stay open until the result is closed
   * @param signature the signature that the library expects
   */
  public static NativeAllocator of(CachingAllocator allocator, NativeSignature signature) {
    return of(allocator, signature, new LiveBlocks());
  }

  /** Creates functions with the given table of live blocks. */
  static NativeAllocator of(
      CachingAllocator allocator, NativeSignature signature, LiveBlocks live) {
    Objects.requireNonNull(signature, "signature");
    Stream made = allocator.getDevice().createStream();
    try {
      return new NativeAllocator(allocator, signature, made, /* ownsStream= */ true, live);
    } catch (RuntimeException | Error e) {
      made.close();
      throw e;
    }
  }

  /**
   * Creates functions for an allocator, on the stream that the library uses.
   *
   * @param stream a stream of the allocator's device, which must stay open until the result is
   *     closed
   * @throws InvalidArgumentException if the stream belongs to another device
   * @throws ClosedException if the stream is closed
   */
  public static NativeAllocator of(
      CachingAllocator allocator, NativeSignature signature, Stream stream) {
    Objects.requireNonNull(signature, "signature");
    if (!stream.getDevice().equals(allocator.getDevice())) {
      throw new InvalidArgumentException(foreign(stream, allocator.getDevice()));
    }
    return new NativeAllocator(
        allocator, signature, stream, /* ownsStream= */ false, new LiveBlocks());
  }

  private MemorySegment function(String method, FunctionDescriptor descriptor) {
    return Upcall.bind(MethodHandles.lookup(), this, method, descriptor);
  }

  /** Returns the function that allocates. */
  public MemorySegment getAllocate() {
    return allocate;
  }

  /** Returns the function that frees memory of {@link #getAllocate}; it ignores null pointers. */
  public MemorySegment getFree() {
    return free;
  }

  /** Returns {@code void empty_cache()}, which releases the pool's free memory to the driver. */
  public MemorySegment getEmptyCache() {
    return emptyCache;
  }

  /**
   * Returns {@code void record_use(void* memory, cudaStream_t stream)}, which records that the
   * stream uses a block, as PyTorch's {@code record_stream} does. The block is not reused until the
   * stream has completed the work submitted before the block was freed.
   */
  public MemorySegment getRecordUse() {
    return recordUse;
  }

  /**
   * Returns the options of ONNX Runtime's CUDA provider that select these functions. The allocator
   * must have {@link NativeSignature#SIZE} and the stream of the provider's option {@code
   * user_compute_stream}.
   */
  public Map<String, String> getOnnxRuntimeOptions() {
    return Map.of(
        "gpu_external_alloc", Long.toString(allocate.address()),
        "gpu_external_free", Long.toString(free.address()),
        "gpu_external_empty_cache", Long.toString(emptyCache.address()));
  }

  /** Returns the stream of memory that is allocated without a stream argument. */
  public Stream getStream() {
    return stream;
  }

  /**
   * Registers a stream that the library may pass by its handle. Streams that CUDA libraries create
   * themselves need not be registered.
   *
   * @param other the stream, which is removed once it is closed
   * @throws InvalidArgumentException if the stream belongs to another device
   * @throws ClosedException if the stream is closed
   */
  public void addStream(Stream other) {
    if (!other.getDevice().equals(memory.getDevice())) {
      throw new InvalidArgumentException(foreign(other, memory.getDevice()));
    }
    streams.add(other);
  }

  private static String foreign(Stream stream, Device device) {
    return stream
        + " belongs to another device than the allocator's, "
        + device
        + "; use a stream of that device";
  }

  /** Returns the last failure of a function. */
  public Optional<Throwable> getLastFailure() {
    return Optional.ofNullable(lastFailure);
  }

  /** Returns the allocations that the library has not freed; exact while no function is running. */
  public List<Allocation> getLive() {
    return live.getAll();
  }

  // ---- called by native code ----

  @SuppressWarnings("UnusedMethod")
  private long allocate(long bytes) {
    try {
      return take(bytes, stream);
    } catch (Throwable e) {
      return failed(e);
    }
  }

  /**
   * Allocates on the stream of a handle; returns the null pointer on a failure, which it records.
   */
  long allocateOn(long bytes, int device, long handle) {
    try {
      requireDevice(device);
      return take(bytes, streams.find(handle));
    } catch (Throwable e) {
      return failed(e);
    }
  }

  private void requireDevice(int device) {
    if (device != ordinal) {
      throw new InvalidArgumentException(
          "memory of device "
              + device
              + " was requested, but this allocator belongs to "
              + memory.getDevice()
              + "; create one allocator per device");
    }
  }

  private long take(long bytes, Stream on) {
    if (closed) {
      throw closedError();
    }
    if (bytes < 0) {
      throw new InvalidArgumentException(
          Long.toUnsignedString(bytes)
              + " bytes were requested, probably a negative size;"
              + " correct the caller");
    }
    if (bytes == 0) {
      return 0;
    }
    Allocation made = memory.allocate(bytes, on);
    boolean known = false;
    try {
      long address = made.getAddress();
      known = live.add(address, made);
      if (known) {
        return address;
      }
    } finally {
      // Closed concurrently, or out of Java heap: the library does not get the block.
      if (!known) {
        made.close();
      }
    }
    throw closedError();
  }

  private ClosedException closedError() {
    return new ClosedException(
        "the native allocator of private pool " + pool.getId() + " of " + memory.getDevice(),
        "it allocates no more memory",
        "close it after the library, or create a new one");
  }

  @SuppressWarnings("UnusedMethod")
  private void free(long address) {
    try {
      if (address != 0) {
        remove(address).close();
      }
    } catch (Throwable e) {
      failed(e);
    }
  }

  /** Frees blocks that only their own streams have used, each as {@link #getFree} does. */
  void freeAll(long[] addresses) {
    for (long each : addresses) {
      free(each);
    }
  }

  private Allocation remove(long address) {
    return requireLive(live.remove(address), address);
  }

  private static Allocation requireLive(@Nullable Allocation found, long address) {
    if (found == null) {
      throw new InvalidArgumentException(
          "no live block at 0x"
              + Long.toHexString(address)
              + ": freed twice, or memory of another allocator");
    }
    return found;
  }

  @SuppressWarnings("UnusedMethod")
  private void recordUse(long address, long handle) {
    try {
      if (address != 0) {
        requireLive(live.find(address), address).recordUse(streams.find(handle));
      }
    } catch (Throwable e) {
      failed(e);
    }
  }

  @SuppressWarnings({"UnusedMethod", "UnusedVariable"})
  private void freeOn(long address, long bytes, int device, long handle) {
    try {
      if (address == 0) {
        return;
      }
      requireDevice(device);
      Allocation found = remove(address);
      try {
        Stream on = streams.find(handle);
        if (!on.equals(found.getStream())) {
          found.recordUse(on);
        }
      } catch (RuntimeException | Error e) {
        Batch.after(e, () -> closeOnceDeviceIsIdle(address, found));
        throw e;
      }
      found.close();
    } catch (Throwable e) {
      failed(e);
    }
  }

  /**
   * Closes a block that work of an unknown stream may still use, after waiting for the whole
   * device. If the wait fails, the block stays live.
   */
  private void closeOnceDeviceIsIdle(long address, Allocation found) {
    boolean over = false;
    try {
      found.getStream().getDevice().synchronize();
      over = true;
    } catch (FatalDeviceException | ClosedException gone) {
      // The work is gone too.
      over = true;
    } finally {
      if (over) {
        found.close();
      } else {
        live.add(address, found);
      }
    }
  }

  @SuppressWarnings("UnusedMethod")
  private void emptyCache() {
    try {
      memory.trim(0);
    } catch (Throwable e) {
      failed(e);
    }
  }

  /** Records and logs a failure, and returns the null pointer. */
  long failed(Throwable thrown) {
    lastFailure = thrown;
    try {
      LOGGER.log(WARNING, "a native allocation function failed", thrown);
    } catch (Throwable untold) {
      thrown.addSuppressed(untold);
    }
    return 0;
  }

  /**
   * Closes the pool, and the stream if this allocator created it. A concurrent allocation either
   * makes the close fail or returns null. Repeated calls have no effect.
   *
   * @throws IllegalStateException if the library holds memory; the message gives the amount, and
   *     the allocator stays open. Close the library's objects first
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    List<Allocation> open = live.tryEnd();
    if (!open.isEmpty()) {
      long bytes = open.stream().mapToLong(Allocation::getSize).sum();
      throw new IllegalStateException(
          "cannot close the native allocator of "
              + pool
              + ": the library holds "
              + Count.of(open.size(), "block")
              + " of "
              + ByteSize.format(bytes)
              + "; close the library's objects first");
    }
    closed = true;
    try {
      pool.close();
    } finally {
      if (ownsStream) {
        stream.close();
      }
    }
  }
}
