package org.vramkit.ffm;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.FatalDeviceException;

/**
 * Reports blocks within the driver's allocations to an attached tool. Created only if a tool is
 * attached.
 *
 * <p>A block is registered when it is allocated. When it is closed, submitted work of its streams
 * may still use it, so it is unregistered once these streams have passed the close. That is checked
 * at each allocation and close on the device. The allocator may reuse the block's bytes earlier on
 * the same stream; then only the other parts stay registered, because blocks must not overlap. If a
 * stream is captured or closed, a block stays registered until its bytes are allocated again. This
 * class never waits for the device, whose progress may depend on the program's other threads.
 *
 * <p>A driver allocation is registered as a heap when the first block in it is allocated; the tool
 * knows all other driver allocations anyway. One lock guards everything and is held for a few calls
 * of the driver and the tool.
 */
final class RegisteredBlocks implements MemoryObserver {
  private static final Logger LOG = System.getLogger(RegisteredBlocks.class.getPackageName());

  /** Logged for each block, because the tool's reports contain addresses but no names. */
  private static final String NAMED = "block at 0x%x, %,d bytes, tag '%s'";

  private static final Graphs.Relaxation NOTHING_TO_RELAX = () -> {};

  private final ReentrantLock lock = new ReentrantLock();
  private final NvtxMemory tool;
  private final TreeMap<Long, Heap> heaps = new TreeMap<>();
  private final TreeMap<Long, Region> blocks = new TreeMap<>();

  /** Closed blocks that streams may still use, oldest first, by their own stream. */
  private final IdentityHashMap<Stream, ArrayDeque<Region>> closed = new IdentityHashMap<>();

  /** A driver allocation. */
  private static final class Heap {
    final long end;

    /** True once the heap was registered or refused. */
    boolean asked;

    /** The tool's handle; 0 before the registration, or if the tool has refused it. */
    long handle;

    Heap(long end) {
      this.end = end;
    }
  }

  /** A registered block, or a remaining part of one. */
  private static final class Region {
    final long address;
    final long bytes;
    final List<Stream> users = new ArrayList<>();
    String tag = "";
    boolean isClosed;

    /** The end of use of a closed block; null for a live one. */
    @Nullable BlockEnd end;

    Region(long address, long bytes) {
      this.address = address;
      this.bytes = bytes;
    }

    long limit() {
      return address + bytes;
    }
  }

  RegisteredBlocks(NvtxMemory tool) {
    this.tool = tool;
  }

  /** Records a driver allocation; called within the driver call. */
  void addHeap(long address, long bytes) {
    enterWithinCall();
    try {
      // Memory of a destroyed context may have had the same addresses.
      List.copyOf(heaps.subMap(address, address + bytes).keySet()).forEach(this::forgetHeap);
      heaps.put(address, new Heap(address + bytes));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Unregisters a driver allocation before it is freed; called within the driver call.
   *
   * @return the bytes of the allocation; 0 if it is not known
   */
  long removeHeap(long address) {
    enterWithinCall();
    try {
      return forgetHeap(address);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Locks without parking, because a virtual thread could resume on another carrier, which has
   * another context.
   */
  private void enterWithinCall() {
    while (!lock.tryLock()) {
      Thread.onSpinWait();
    }
  }

  private long forgetHeap(long address) {
    Heap heap = heaps.remove(address);
    if (heap == null) {
      return 0;
    }
    List.copyOf(blocks.subMap(address, heap.end).values()).forEach(this::forget);
    if (heap.handle != 0) {
      tool.unregisterHeap(heap.handle);
    }
    return heap.end - address;
  }

  @Override
  public void allocated(long address, long bytes, Stream stream) {
    allocated(address, bytes, stream, "");
  }

  @Override
  public void allocated(long address, long bytes, Stream stream, String tag) {
    LOG.log(Level.DEBUG, () -> NAMED.formatted(address, bytes, tag));
    report(stream, () -> reportAllocated(address, bytes, stream, tag));
  }

  /**
   * Runs {@code what} under the lock, with the device's context current, because the tool refuses
   * heaps otherwise. Takes the lock first, because a virtual thread must not park while it has a
   * context. Relaxes the capture mode, because a capturing thread must not query events otherwise.
   * Reports nothing if CUDA is lost or the device is closed.
   */
  @SuppressWarnings("try") // the variables only close the binding and the relaxation
  private void report(Stream stream, Runnable what) {
    Device device = stream.getDevice();
    lock.lock();
    try (DeviceBinding current = device.bind();
        Graphs.Relaxation relaxed = relax(device)) {
      what.run();
    } catch (FatalDeviceException | ClosedException gone) {
      return;
    } finally {
      lock.unlock();
    }
  }

  private static Graphs.Relaxation relax(Device device) {
    return device.supports(Capability.GRAPHS) ? device.getGraphs().relax() : NOTHING_TO_RELAX;
  }

  private void reportAllocated(long address, long bytes, Stream stream, String tag) {
    Map.Entry<Long, Heap> heap = heaps.floorEntry(address);
    if (heap == null || address >= heap.getValue().end) {
      return;
    }
    forgetPassed(stream.getDevice());
    Region known = blocks.get(address);
    if (known != null && known.isClosed && known.bytes == bytes) {
      reopen(known);
    } else {
      makeRoom(heap, address, address + Math.max(1, bytes));
      known = register(heap, address, bytes);
    }
    if (known != null && !known.tag.equals(tag)) {
      known.tag = tag;
      tool.name(address, tag.isEmpty() ? "no tag" : tag);
    }
  }

  /** Registers a block; returns null if the tool refuses its heap. */
  private @Nullable Region register(Map.Entry<Long, Heap> entry, long address, long bytes) {
    Heap heap = entry.getValue();
    if (!heap.asked) {
      heap.asked = true;
      heap.handle = tool.registerHeap(entry.getKey(), heap.end - entry.getKey());
    }
    if (heap.handle == 0) {
      return null;
    }
    Region made = new Region(address, bytes);
    tool.registerRegion(heap.handle, address, bytes);
    blocks.put(address, made);
    return made;
  }

  /** Keeps a closed block registered, because the same range was allocated again. */
  private void reopen(Region block) {
    leaveClosed(block);
    block.isClosed = false;
    block.users.clear();
  }

  /** Unregisters the parts of closed blocks that a new block overlaps; the other parts stay. */
  private void makeRoom(Map.Entry<Long, Heap> heap, long from, long to) {
    Map.Entry<Long, Region> before = blocks.lowerEntry(from);
    if (before != null && before.getValue().limit() > from) {
      makeRoom(heap, before.getValue(), from, to);
    }
    List.copyOf(blocks.subMap(from, to).values()).forEach(each -> makeRoom(heap, each, from, to));
  }

  private void makeRoom(Map.Entry<Long, Heap> heap, Region block, long from, long to) {
    BlockEnd end = block.end == null ? null : block.end.shared();
    forget(block);
    if (block.isClosed) {
      keepPart(heap, block.address, Math.min(from, block.limit()), end);
      keepPart(heap, Math.max(to, block.address), block.limit(), end);
    }
    if (end != null) {
      end.release();
    }
  }

  /** Keeps a part of a closed block registered, as long as the whole block would have been. */
  private void keepPart(Map.Entry<Long, Heap> heap, long from, long to, @Nullable BlockEnd end) {
    Region part = from < to ? register(heap, from, to - from) : null;
    if (part != null) {
      part.isClosed = true;
      if (end != null) {
        enterClosed(part, end.shared());
      }
    }
  }

  private void forget(Region block) {
    leaveClosed(block);
    blocks.remove(block.address);
    tool.unregisterRegion(block.address);
  }

  @Override
  public void used(long address, Stream stream) {
    lock.lock();
    try {
      Region block = blocks.get(address);
      if (block != null) {
        block.users.add(stream);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void freed(long address, Stream stream) {
    report(stream, () -> close(address, stream));
  }

  private void close(long address, Stream stream) {
    Region block = blocks.get(address);
    if (block != null && !block.isClosed) {
      block.isClosed = true;
      BlockEnd end = BlockEnd.of(stream, block.users);
      if (end != null) {
        enterClosed(block, end);
      }
      forgetPassed(stream.getDevice());
    }
  }

  private void enterClosed(Region block, BlockEnd end) {
    block.end = end;
    closed.computeIfAbsent(end.stream, each -> new ArrayDeque<>()).add(block);
  }

  private void leaveClosed(Region block) {
    BlockEnd end = block.end;
    block.end = null;
    if (end != null) {
      ArrayDeque<Region> others = closed.get(end.stream);
      if (others != null && others.remove(block) && others.isEmpty()) {
        closed.remove(end.stream);
      }
      end.release();
    }
  }

  /**
   * Unregisters the closed blocks of a device that no stream uses any more, oldest first per
   * stream.
   */
  private void forgetPassed(Device device) {
    List<Region> passed = new ArrayList<>();
    closed.forEach(
        (stream, ended) -> {
          if (stream.getDevice() == device) {
            ended.stream().takeWhile(RegisteredBlocks::isPassed).forEach(passed::add);
          }
        });
    passed.forEach(this::forget);
  }

  private static boolean isPassed(Region block) {
    return block.end != null && block.end.isPassed();
  }
}
