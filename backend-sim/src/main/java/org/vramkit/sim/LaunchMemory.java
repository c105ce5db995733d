package org.vramkit.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.memory.Memory;
import org.vramkit.ptx.memory.MemoryPiece;
import org.vramkit.sim.check.Checker;
import org.vramkit.sim.check.Operation;
import org.vramkit.sim.memory.AddressSpace;
import org.vramkit.sim.memory.AddressSpace.Region;
import org.vramkit.sim.memory.AddressSpace.RegionKind;
import org.vramkit.sim.memory.ByteStore;
import org.vramkit.sim.memory.Mappings;
import org.vramkit.sim.memory.Mappings.Mapping;
import org.vramkit.sim.memory.PhysicalMemory;

/**
 * The memory of a device as one launch sees it: copies of the windows that the kernel touches. The
 * kernel runs when it is submitted, but its writes become visible when its stream reaches it, so
 * the changes are kept until then. Guarded by the backend's lock.
 */
final class LaunchMemory implements Memory {
  private static final int WINDOW = 1 << 14;

  /** A touched window: its bytes as the kernel found them, and as it left them. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Window(
      long address, ByteStore content, long offset, byte[] before, byte[] after) {}

  /** Bytes that the kernel changed. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Change(ByteStore content, long offset, byte[] bytes) {}

  private final AddressSpace space;
  private final Checker checker;
  private final int device;
  private final Operation launch;
  private final IntPredicate isPeerOpen;
  private final List<Window> windows = new ArrayList<>();

  /**
   * Creates the view of a launch; {@code isPeerOpen} tells from which devices it may use memory.
   */
  LaunchMemory(
      AddressSpace space, Checker checker, int device, Operation launch, IntPredicate isPeerOpen) {
    this.space = space;
    this.checker = checker;
    this.device = device;
    this.launch = launch;
    this.isPeerOpen = isPeerOpen;
  }

  @Override
  public @Nullable MemoryPiece find(long address) {
    Region region = space.containing(address);
    if (region == null || !isOpen(region)) {
      return null;
    }
    long start = region.start();
    long end = region.getEnd();
    PhysicalMemory physical = region.physical();
    long base = start;
    Mappings pages = region.pages();
    if (pages != null) {
      Mapping mapping = pages.get(address);
      if (mapping == null || !mapping.isAccessible(device)) {
        return null;
      }
      physical = mapping.physical();
      base = mapping.start();
      start = mapping.start();
      end = mapping.getEnd();
    }
    ByteStore content = physical == null ? null : physical.content;
    start = Math.max(start, address & -WINDOW);
    end = Math.min(end, (address & -WINDOW) + WINDOW);
    if (pages == null || checker.kernels.isDivided(region.start(), region.getEnd())) {
      start = checker.kernels.ownedStart(address, start, launch);
      end = checker.kernels.ownedEnd(address, end, launch);
    }
    if (content == null || end <= address) {
      return null;
    }
    byte[] bytes = new byte[(int) (end - start)];
    content.read(start - base, bytes, 0, bytes.length);
    windows.add(new Window(start, content, start - base, bytes.clone(), bytes));
    return new MemoryPiece(bytes, 0, start, bytes.length);
  }

  /** Returns whether the device may access a region; mappings decide for themselves. */
  private boolean isOpen(Region region) {
    return region.device() == device
        || region.kind().isShared()
        || region.pages() != null
        || region.isOpenTo(device)
        || (region.kind() != RegionKind.POOL && isPeerOpen.test(region.device()));
  }

  /** Returns code that tells whether the kernel could still access all memory that it touched. */
  BooleanSupplier accessibility() {
    long[] touched = windows.stream().mapToLong(Window::address).toArray();
    return () -> Arrays.stream(touched).allMatch(this::isAccessible);
  }

  private boolean isAccessible(long address) {
    Region region = space.containing(address);
    Mappings pages = region == null ? null : region.pages();
    Mapping mapping = pages == null ? null : pages.get(address);
    return region != null
        && isOpen(region)
        && (pages == null || (mapping != null && mapping.isAccessible(device)));
  }

  /** Returns code that makes the writes of the kernel visible. */
  Runnable takeChanges() {
    List<Change> changes = new ArrayList<>();
    for (Window each : windows) {
      addChanges(each, changes);
    }
    windows.clear();
    return () ->
        changes.forEach(each -> each.content.write(each.offset, each.bytes, 0, each.bytes.length));
  }

  private static void addChanges(Window window, List<Change> changes) {
    byte[] before = window.before;
    byte[] after = window.after;
    int from = Arrays.mismatch(before, after);
    while (from >= 0) {
      int to = from;
      while (to < after.length && before[to] != after[to]) {
        to++;
      }
      changes.add(
          new Change(window.content, window.offset + from, Arrays.copyOfRange(after, from, to)));
      int next = Arrays.mismatch(before, to, before.length, after, to, after.length);
      from = next < 0 ? -1 : to + next;
    }
  }
}
