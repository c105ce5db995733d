package org.vramkit.ffm;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.FatalDeviceException;

/**
 * Tells a tool what of the driver's memory is whose block: made only where one is attached.
 *
 * <p>A block is told of when it is handed out. At its close work of its streams may still use it
 * rightly: so it is taken back once they have passed that point. The allocator may hand it out
 * again before, on the same stream. The same bytes then stay told of; for others the close is
 * waited for first, as two blocks cannot have one byte. Closed during a capture, a block stays told
 * of until somebody gets its bytes: what is captured runs later.
 *
 * <p>Heaps are the driver's allocations in which a block was handed out: memory that users take
 * from the driver themselves is theirs as a whole, and the tool knows it. One lock guards
 * everything; whoever looks for errors can wait.
 */
final class ToldBlocks implements MemoryObserver {
  private static final Logger LOG = System.getLogger(ToldBlocks.class.getPackageName());

  /** The tool's reports of bad accesses know addresses and no names; this is found by them. */
  private static final String NAMED = "block at 0x%x, %,d bytes, tag '%s'";

  private final ReentrantLock lock = new ReentrantLock();
  private final NvtxMemory tool;
  private final TreeMap<Long, Heap> heaps = new TreeMap<>();
  private final TreeMap<Long, Told> blocks = new TreeMap<>();
  private final ArrayDeque<Told> closed = new ArrayDeque<>();

  /** What the driver gave, and its handle once the tool knows it. */
  private static final class Heap {
    final long end;
    boolean told;
    long handle;

    Heap(long end) {
      this.end = end;
    }
  }

  /** A block that the tool knows. */
  private static final class Told {
    final long address;
    final long bytes;
    final List<Stream> users = new ArrayList<>();

    /** Marks of its close that are not passed. */
    final List<Event> marks = new ArrayList<>();

    boolean isClosed;

    Told(long address, long bytes) {
      this.address = address;
      this.bytes = bytes;
    }
  }

  ToldBlocks(NvtxMemory tool) {
    this.tool = tool;
  }

  /** The driver gave memory; within its call. */
  void given(long address, long bytes) {
    enterWithinCall();
    try {
      heaps.put(address, new Heap(address + bytes));
    } finally {
      lock.unlock();
    }
  }

  /** It goes back; nobody uses it any more; within the driver's call. */
  void taken(long address) {
    enterWithinCall();
    try {
      forgetHeap(address);
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

  private void forgetHeap(long address) {
    Heap heap = heaps.remove(address);
    if (heap == null || !heap.told) {
      return;
    }
    Map<Long, Told> inside = blocks.subMap(address, heap.end);
    for (Told each : inside.values()) {
      each.marks.forEach(Event::close);
      each.marks.clear();
      tool.unregisterRegion(each.address);
    }
    closed.removeAll(inside.values());
    inside.clear();
    tool.unregisterHeap(heap.handle);
  }

  @Override
  public void allocated(long address, long bytes, Stream stream) {
    allocated(address, bytes, stream, "");
  }

  @Override
  public void allocated(long address, long bytes, Stream stream, String tag) {
    telling(stream, () -> tellOf(address, bytes, tag));
  }

  /**
   * Under the lock, with a context current: the tool refuses heaps while none is. The lock comes
   * first, as a virtual thread must not park while it keeps a context. Once CUDA is lost, or the
   * device closed, there is nothing left to tell.
   */
  @SuppressWarnings("try") // the binding is held, not called
  private void telling(Stream stream, Runnable what) {
    lock.lock();
    try (DeviceBinding current = stream.getDevice().bind()) {
      what.run();
    } catch (FatalDeviceException | ClosedException gone) {
      LOG.log(Level.DEBUG, "no tool hears of blocks any more", gone);
    } finally {
      lock.unlock();
    }
  }

  private void tellOf(long address, long bytes, String tag) {
    Map.Entry<Long, Heap> heap = heaps.floorEntry(address);
    if (heap == null || address >= heap.getValue().end) {
      return;
    }
    LOG.log(Level.DEBUG, () -> NAMED.formatted(address, bytes, tag));
    forgetPassed();
    Told known = blocks.get(address);
    if (known == null || !known.isClosed || known.bytes != bytes) {
      makeRoom(address, bytes);
      known = new Told(address, bytes);
      tool.registerRegion(told(heap), address, bytes);
      blocks.put(address, known);
    } else {
      known.isClosed = false;
      known.users.clear();
      closed.remove(known);
      known.marks.forEach(Event::close);
      known.marks.clear();
    }
    if (!tag.isEmpty()) {
      tool.name(address, tag);
    }
  }

  private long told(Map.Entry<Long, Heap> entry) {
    Heap heap = entry.getValue();
    if (!heap.told) {
      heap.handle = tool.registerHeap(entry.getKey(), heap.end - entry.getKey());
      heap.told = true;
    }
    return heap.handle;
  }

  /** Takes back what of closed blocks lies where a new one begins. */
  private void makeRoom(long address, long bytes) {
    Map.Entry<Long, Told> before = blocks.lowerEntry(address);
    if (before != null && address < before.getValue().address + before.getValue().bytes) {
      forget(before.getValue());
    }
    List.copyOf(blocks.subMap(address, address + Math.max(1, bytes)).values())
        .forEach(each -> forget(each));
  }

  /** After a wait for the work that may still use it. */
  private void forget(Told block) {
    block.marks.forEach(ToldBlocks::waitFor);
    block.marks.clear();
    closed.remove(block);
    blocks.remove(block.address);
    tool.unregisterRegion(block.address);
  }

  /** Waits for a mark and closes it; of what is gone no work is left that could use memory. */
  private static void waitFor(Event mark) {
    try (mark) {
      mark.synchronize();
    } catch (FatalDeviceException | ClosedException gone) {
      return;
    }
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
    if (block == null || block.isClosed) {
      return;
    }
    block.isClosed = true;
    if (isCaptured(stream) || block.users.stream().anyMatch(ToldBlocks::isCaptured)) {
      return;
    }
    mark(block, stream);
    block.users.forEach(each -> mark(block, each));
    closed.add(block);
    forgetPassed();
  }

  private static boolean isCaptured(Stream stream) {
    return stream.getDevice().supports(Capability.GRAPHS)
        && stream.getDevice().getGraphs().isCapturing(stream);
  }

  private static void mark(Told block, Stream stream) {
    try {
      Event mark = stream.getDevice().createEvent();
      block.marks.add(mark);
      mark.record(stream);
    } catch (ClosedException | FatalDeviceException gone) {
      waitFor(stream);
    }
  }

  /** What a closed stream did is waited for by its device. */
  private static void waitFor(Stream stream) {
    try {
      stream.getDevice().synchronize();
    } catch (ClosedException | FatalDeviceException gone) {
      return;
    }
  }

  /** Takes back what all streams have passed; the oldest first, as a tool's list is short. */
  private void forgetPassed() {
    Told oldest = closed.peek();
    while (oldest != null && isPassed(oldest)) {
      forget(oldest);
      oldest = closed.peek();
    }
  }

  private static boolean isPassed(Told block) {
    return block.marks.stream().allMatch(ToldBlocks::isPassed);
  }

  private static boolean isPassed(Event mark) {
    try {
      return mark.isComplete();
    } catch (ClosedException | FatalDeviceException gone) {
      return true;
    }
  }
}
