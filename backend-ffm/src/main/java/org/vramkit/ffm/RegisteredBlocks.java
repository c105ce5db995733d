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
 * Tells a tool what of the driver's memory is whose block: made only where one is attached.
 *
 * <p>A block is reported when it is handed out. At its close work of its streams may still use it
 * rightly: so it is taken back once they have passed that point, at the next block of that device
 * that is handed out or closed. The allocator may hand its bytes out again before, on the same
 * stream: then what is left of it stays reported, as two blocks cannot have one byte. Where a
 * stream cannot tell, because it is captured or closed, a block stays reported until its bytes have
 * a new owner. This class waits for no device: a program may need its other threads for the device
 * to go on.
 *
 * <p>Heaps are the driver's allocations in which a block was handed out: memory that users take
 * from the driver themselves is theirs as a whole, and the tool knows it. One lock guards
 * everything, and is held for a few calls of the driver and the tool.
 */
final class ToldBlocks implements MemoryObserver {
  private static final Logger LOG = System.getLogger(ToldBlocks.class.getPackageName());

  /** The tool's reports of bad accesses know addresses and no names; this is found by them. */
  private static final String NAMED = "block at 0x%x, %,d bytes, tag '%s'";

  private static final Graphs.Relaxation NOTHING_TO_RELAX = () -> {};

  private final ReentrantLock lock = new ReentrantLock();
  private final NvtxMemory tool;
  private final TreeMap<Long, Heap> heaps = new TreeMap<>();
  private final TreeMap<Long, Told> blocks = new TreeMap<>();

  /** Closed blocks whose streams may not have passed yet, the oldest first, by their own stream. */
  private final IdentityHashMap<Stream, ArrayDeque<Told>> closed = new IdentityHashMap<>();

  /** Memory of the driver. */
  private static final class Heap {
    final long end;
    boolean asked;

    /** The tool's; 0 while it knows none, and where it refuses. */
    long handle;

    Heap(long end) {
      this.end = end;
    }
  }

  /** A block that the tool knows, or what is left of one. */
  private static final class Told {
    final long address;
    final long bytes;
    final List<Stream> users = new ArrayList<>();
    String tag = "";
    boolean isClosed;

    /** When it may be forgotten, as one of the closed blocks; null if it is none of these. */
    @Nullable BlockEnd end;

    Told(long address, long bytes) {
      this.address = address;
      this.bytes = bytes;
    }

    long limit() {
      return address + bytes;
    }
  }

  ToldBlocks(NvtxMemory tool) {
    this.tool = tool;
  }

  /** The driver gave memory; within its call. */
  void given(long address, long bytes) {
    enterWithinCall();
    try {
      // What a context had that is no more lay there perhaps.
      List.copyOf(heaps.subMap(address, address + bytes).keySet()).forEach(this::forgetHeap);
      heaps.put(address, new Heap(address + bytes));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends memory that is about to go back and is not used any more; within the driver's call.
   *
   * @return its bytes; 0 if it is not known
   */
  long taken(long address) {
    enterWithinCall();
    try {
      return forgetHeap(address);
    } finally {
      lock.unlock();
    }
  }

  /** Without parking: a virtual thread might go on upon another one, with another context. */
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
    telling(stream, () -> tellOf(address, bytes, stream, tag));
  }

  /**
   * Under the lock, with a context current: the tool refuses heaps while none is. The lock comes
   * first, as a virtual thread must not park while it keeps a context. Events are asked for, which
   * a thread that captures may not do. Once CUDA is lost, or the device closed, there is nothing
   * left to tell.
   */
  @SuppressWarnings("try") // the binding and the relaxation are held, not called
  private void telling(Stream stream, Runnable what) {
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

  private void tellOf(long address, long bytes, Stream stream, String tag) {
    Map.Entry<Long, Heap> heap = heaps.floorEntry(address);
    if (heap == null || address >= heap.getValue().end) {
      return;
    }
    forgetPassed(stream.getDevice());
    Told known = blocks.get(address);
    if (known != null && known.isClosed && known.bytes == bytes) {
      reopen(known);
    } else {
      makeRoom(heap, address, address + Math.max(1, bytes));
      known = told(heap, address, bytes);
    }
    if (known != null && !known.tag.equals(tag)) {
      known.tag = tag;
      tool.name(address, tag.isEmpty() ? "no tag" : tag);
    }
  }

  /** Makes a region known; null where the tool refuses its heap. */
  private @Nullable Told told(Map.Entry<Long, Heap> entry, long address, long bytes) {
    Heap heap = entry.getValue();
    if (!heap.asked) {
      heap.asked = true;
      heap.handle = tool.registerHeap(entry.getKey(), heap.end - entry.getKey());
    }
    if (heap.handle == 0) {
      return null;
    }
    Told made = new Told(address, bytes);
    tool.registerRegion(heap.handle, address, bytes);
    blocks.put(address, made);
    return made;
  }

  /** Ends a block whose bytes have a new owner, who comes after it in the order of the stream. */
  private void reopen(Told block) {
    leaveClosed(block);
    block.isClosed = false;
    block.users.clear();
  }

  /** Takes back what of closed blocks lies where a new one begins; the rest of them stays. */
  private void makeRoom(Map.Entry<Long, Heap> heap, long from, long to) {
    Map.Entry<Long, Told> before = blocks.lowerEntry(from);
    if (before != null && before.getValue().limit() > from) {
      makeRoom(heap, before.getValue(), from, to);
    }
    List.copyOf(blocks.subMap(from, to).values()).forEach(each -> makeRoom(heap, each, from, to));
  }

  private void makeRoom(Map.Entry<Long, Heap> heap, Told block, long from, long to) {
    BlockEnd end = block.end == null ? null : block.end.shared();
    forget(block);
    if (block.isClosed) {
      leave(heap, block.address, Math.min(from, block.limit()), end);
      leave(heap, Math.max(to, block.address), block.limit(), end);
    }
    if (end != null) {
      end.release();
    }
  }

  /** A part of a closed block stays told of, as long as the whole would have. */
  private void leave(Map.Entry<Long, Heap> heap, long from, long to, @Nullable BlockEnd end) {
    Told part = from < to ? told(heap, from, to - from) : null;
    if (part != null) {
      part.isClosed = true;
      if (end != null) {
        enterClosed(part, end.shared());
      }
    }
  }

  private void forget(Told block) {
    leaveClosed(block);
    blocks.remove(block.address);
    tool.unregisterRegion(block.address);
  }

  @Override
  public void used(long address, Stream stream) {
    lock.lock();
    try {
      Told block = blocks.get(address);
      if (block != null) {
        block.users.add(stream);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void freed(long address, Stream stream) {
    telling(stream, () -> close(address, stream));
  }

  private void close(long address, Stream stream) {
    Told block = blocks.get(address);
    if (block != null && !block.isClosed) {
      block.isClosed = true;
      BlockEnd end = BlockEnd.of(stream, block.users);
      if (end != null) {
        enterClosed(block, end);
      }
      forgetPassed(stream.getDevice());
    }
  }

  private void enterClosed(Told block, BlockEnd end) {
    block.end = end;
    closed.computeIfAbsent(end.home, each -> new ArrayDeque<>()).add(block);
  }

  private void leaveClosed(Told block) {
    BlockEnd end = block.end;
    block.end = null;
    if (end != null) {
      ArrayDeque<Told> others = closed.get(end.home);
      if (others != null && others.remove(block) && others.isEmpty()) {
        closed.remove(end.home);
      }
      end.release();
    }
  }

  /** Takes back what all streams have passed of a device's blocks, each stream's oldest first. */
  private void forgetPassed(Device device) {
    List<Told> passed = new ArrayList<>();
    closed.forEach(
        (stream, ended) -> {
          if (stream.getDevice() == device) {
            ended.stream().takeWhile(ToldBlocks::isPassed).forEach(passed::add);
          }
        });
    passed.forEach(this::forget);
  }

  private static boolean isPassed(Told block) {
    return block.end != null && block.end.isPassed();
  }
}
