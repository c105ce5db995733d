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
 * A caching allocator as C function pointers, for libraries that let their users bring the memory.
 * Each has a private pool of the allocator, so that what the library holds can be told apart, and a
 * stream. Safe for any thread, those that native code starts too.
 *
 * <p>The functions throw nothing, which would end the JVM: where one fails, {@code alloc} returns
 * null, a warning is logged, and {@link #getLastFailure} tells why. They may be called as long as
 * the JVM lives: after the close {@code alloc} returns null and {@code free} does nothing.
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
   * Functions over an allocator, with a stream of their own.
   *
   * @param allocator stays open until this is closed
   * @param signature what the library takes
   */
  public static NativeAllocator of(CachingAllocator allocator, NativeSignature signature) {
    return of(allocator, signature, new LiveBlocks());
  }

  /** The same with what knows the live blocks. */
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
   * Functions over an allocator, on the stream that the library works on.
   *
   * @param stream of the allocator's device; stays open until this is closed
   * @throws InvalidArgumentException if it is another device's
   * @throws ClosedException if it is closed
   */
  public static NativeAllocator of(
      CachingAllocator allocator, NativeSignature signature, Stream stream) {
    Objects.requireNonNull(signature, "signature");
    if (!stream.getDevice().equals(allocator.getDevice())) {
      throw new InvalidArgumentException(
          stream + " is of another device than the allocator's, " + allocator.getDevice());
    }
    return new NativeAllocator(
        allocator, signature, stream, /* ownsStream= */ false, new LiveBlocks());
  }

  private MemorySegment function(String method, FunctionDescriptor descriptor) {
    return Upcall.bind(MethodHandles.lookup(), this, method, descriptor);
  }

  /** The function that allocates. */
  public MemorySegment getAllocate() {
    return allocate;
  }

  /** The function that frees what it allocated; a null pointer is ignored. */
  public MemorySegment getFree() {
    return free;
  }

  /** {@code void empty_cache()}: gives free memory of the pool back to the device. */
  public MemorySegment getEmptyCache() {
    return emptyCache;
  }

  /**
   * {@code void record_use(void* memory, cudaStream_t stream)}: work of the stream uses a block, so
   * after its free the block waits for what the stream has been given until then. PyTorch's {@code
   * record_stream}.
   */
  public MemorySegment getRecordUse() {
    return recordUse;
  }

  /**
   * ONNX Runtime's options of its CUDA provider that make it allocate here. For {@link
   * NativeSignature#SIZE}, on the stream that is its option {@code user_compute_stream}.
   */
  public Map<String, String> getOnnxRuntimeOptions() {
    return Map.of(
        "gpu_external_alloc", Long.toString(allocate.address()),
        "gpu_external_free", Long.toString(free.address()),
        "gpu_external_empty_cache", Long.toString(emptyCache.address()));
  }

  /** The stream that memory belongs to where the functions are not told another one. */
  public Stream getStream() {
    return stream;
  }

  /**
   * Tells of a stream that the library may name by its handle. Streams that CUDA libraries make
   * themselves need not be told of.
   *
   * @param other is forgotten once it is closed
   * @throws InvalidArgumentException if it is another device's
   * @throws ClosedException if it is closed
   */
  public void addStream(Stream other) {
    if (!other.getDevice().equals(memory.getDevice())) {
      throw new InvalidArgumentException(
          other + " is of another device than the allocator's, " + memory.getDevice());
    }
    streams.add(other);
  }

  /** Why a function failed last. */
  public Optional<Throwable> getLastFailure() {
    return Optional.ofNullable(lastFailure);
  }

  /** Returns the allocations that the library has not freed yet; exact at a quiet moment. */
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

  @SuppressWarnings("UnusedMethod")
  private long allocateOn(long bytes, int device, long handle) {
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
              + " is asked for, this allocator is of "
              + memory.getDevice()
              + "; give each device one of its own");
    }
  }

  private long take(long bytes, Stream on) {
    if (closed) {
      throw closedError();
    }
    if (bytes < 0) {
      throw new InvalidArgumentException(
          Long.toUnsignedString(bytes) + " bytes are asked for: a negative size of the library's?");
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
      // The library never gets it: closed meanwhile, or no Java heap to note it.
      if (!known) {
        made.close();
      }
    }
    throw closedError();
  }

  private ClosedException closedError() {
    return new ClosedException(
        "the native allocator of private pool " + pool.getId() + " of " + memory.getDevice(),
        "it gives no memory any more",
        "close it after the library, or make a new one");
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

  private Allocation remove(long address) {
    return requireLive(live.remove(address), address);
  }

  private static Allocation requireLive(@Nullable Allocation found, long address) {
    if (found == null) {
      throw new InvalidArgumentException(
          "nothing is live at 0x"
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
        Batch.after(e, () -> closeAfterAll(address, found));
        throw e;
      }
      found.close();
    } catch (Throwable e) {
      failed(e);
    }
  }

  /**
   * Closes what work of an unknown stream may still use: only the whole device can tell. Where it
   * does not, the block stays the library's.
   */
  private void closeAfterAll(long address, Allocation found) {
    boolean over = false;
    try {
      found.getStream().getDevice().synchronize();
      over = true;
    } catch (FatalDeviceException | ClosedException gone) {
      // So has the work.
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

  /** Keeps and tells what must not be thrown; the null pointer. */
  private long failed(Throwable thrown) {
    lastFailure = thrown;
    try {
      LOGGER.log(WARNING, "native code gets no memory, or gave back what it has not", thrown);
    } catch (Throwable untold) {
      thrown.addSuppressed(untold);
    }
    return 0;
  }

  /**
   * Ends the pool, and the stream if it is its own. An allocation at the same time either comes
   * before, and this is refused, or gets null. Harmless when repeated.
   *
   * @throws IllegalStateException if the library holds memory; names how much, and nothing changes:
   *     close the library's objects first
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
