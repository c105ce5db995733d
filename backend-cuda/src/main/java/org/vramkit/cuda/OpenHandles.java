package org.vramkit.cuda;

import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/**
 * Tracks the open handles of one device, for the report at the close of the backend, and to refuse
 * handles that the driver does not check. Safe for any thread.
 */
final class OpenHandles {
  /** Maximum number of handles that a report lists. */
  private static final int LISTED = 9;

  /** Kinds of handles, in the order of the report. */
  enum Kind {
    ALLOCATION("allocation"),
    POOL_ALLOCATION("stream-ordered allocation"),
    POOL("driver pool"),
    PINNED_BUFFER("pinned host buffer"),
    MANAGED_BUFFER("managed buffer"),
    STREAM("stream"),
    EVENT("event"),
    GRAPH("graph"),
    MODULE("module"),
    BINDING("current device of a thread"),
    PHYSICAL_MEMORY("physical memory"),
    RESERVATION("reservation");

    private final String words;

    Kind(String words) {
      this.words = words;
    }
  }

  /** Defines its methods, because those of a record are linked at run time, which slows a start. */
  private record Key(Kind kind, long handle) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Key key && kind == key.kind && handle == key.handle;
    }

    @Override
    public int hashCode() {
      return 31 * kind.hashCode() + Long.hashCode(handle);
    }
  }

  /** The name, the size and the driver pool of a handle; empty and 0 if it has none. */
  private record Held(String name, long bytes, long pool) {}

  /** Kinds of memory that the driver frees by the same calls. */
  private static final Set<Kind> ADDRESSES =
      EnumSet.of(Kind.ALLOCATION, Kind.POOL_ALLOCATION, Kind.MANAGED_BUFFER);

  /** Kinds that belong to the process, so that any device may release them. */
  private static final Set<Kind> OF_PROCESS =
      EnumSet.of(
          Kind.ALLOCATION,
          Kind.POOL_ALLOCATION,
          Kind.MANAGED_BUFFER,
          Kind.PHYSICAL_MEMORY,
          Kind.RESERVATION);

  /** The state that the devices of a backend share. */
  static final class Shared {
    private final List<OpenHandles> devices = new CopyOnWriteArrayList<>();

    /** Addresses of plain memory that was freed in stream order and not allocated again. */
    private final Set<Long> freedInOrder = ConcurrentHashMap.newKeySet();

    /** Addresses of memory whose driver pool was destroyed before it was freed. */
    private final Set<Long> ofDestroyedPools = ConcurrentHashMap.newKeySet();
  }

  /** A handle that was removed, and the device that had it. */
  private record Removed(OpenHandles owner, Key key, Held what) {
    void restore() {
      owner.held.put(key, what);
      owner.shared.freedInOrder.remove(key.handle);
    }
  }

  private final int device;
  private final Shared shared;
  private final Map<Key, Held> held = new ConcurrentHashMap<>();

  OpenHandles(int device, Shared shared) {
    this.device = device;
    this.shared = shared;
    shared.devices.add(this);
  }

  /** Adds a handle. */
  void add(Kind kind, long handle, long bytes) {
    add(kind, handle, bytes, "");
  }

  /** Adds a handle with the name that its user gave it. */
  void add(Kind kind, long handle, long bytes, String name) {
    add(kind, handle, new Held(name, bytes, 0));
  }

  /** Adds memory of a driver pool. */
  void addOfPool(long pool, long address, long bytes) {
    add(Kind.POOL_ALLOCATION, address, new Held("", bytes, pool));
  }

  private void add(Kind kind, long handle, Held value) {
    held.put(new Key(kind, handle), value);
    if (ADDRESSES.contains(kind)) {
      shared.freedInOrder.remove(handle);
      shared.ofDestroyedPools.remove(handle);
    }
  }

  /** Destroys a driver pool by a call; what is left of its memory cannot be freed any more. */
  void destroyPool(long pool, Runnable call) {
    Set<Long> left = new HashSet<>();
    held.forEach(
        (key, value) -> {
          if (key.kind == Kind.POOL_ALLOCATION && value.pool == pool) {
            left.add(key.handle);
          }
        });
    // Before the call, because another thread may free the memory beside it.
    shared.ofDestroyedPools.addAll(left);
    boolean destroyed = false;
    try {
      release(Kind.POOL, pool, call);
      destroyed = true;
    } finally {
      if (!destroyed) {
        shared.ofDestroyedPools.removeAll(left);
      }
    }
  }

  /** Refuses to free memory of a destroyed pool, which the driver may not check. */
  void requireOfOpenPool(long address) {
    if (shared.ofDestroyedPools.contains(address)) {
      throw new InvalidArgumentException(
          "cannot free 0x"
              + Long.toHexString(address)
              + ": its pool was closed before; free memory before its pool");
    }
  }

  /** Returns whether an address is that of plain memory that was freed in stream order. */
  boolean isFreedInOrder(long address) {
    return shared.freedInOrder.contains(address);
  }

  /** Returns whether a handle of any device of the backend is open. */
  boolean isOpen(Kind kind, long handle) {
    Key key = new Key(kind, handle);
    return shared.devices.stream().anyMatch(each -> each.held.containsKey(key));
  }

  /**
   * Releases a handle by a call; the handle stays open if the call fails. Another device may have
   * opened a handle that belongs to the process.
   */
  void release(Kind kind, long handle, Runnable call) {
    release(remove(kind, handle), call);
  }

  /** Does the same for a handle that is open; otherwise makes no call, and returns false. */
  boolean releaseOpen(Kind kind, long handle, Runnable call) {
    Removed removed = remove(kind, handle);
    if (removed != null) {
      release(removed, call);
    }
    return removed != null;
  }

  /** Frees memory by a stream-ordered call. */
  void releaseInOrder(long address, Runnable call) {
    Removed removed = remove(Kind.POOL_ALLOCATION, address);
    if (removed != null && removed.key.kind == Kind.ALLOCATION) {
      // Before the call: another thread may allocate the address again right after it.
      shared.freedInOrder.add(address);
    }
    release(removed, call);
  }

  private static void release(@Nullable Removed removed, Runnable call) {
    boolean released = false;
    try {
      call.run();
      released = true;
    } finally {
      if (!released && removed != null) {
        removed.restore();
      }
    }
  }

  /**
   * Removes a handle, before the call that releases it, because the driver may give the handle to
   * another thread right after it; returns null if no device has it.
   */
  private @Nullable Removed remove(Kind kind, long handle) {
    for (OpenHandles owner : OF_PROCESS.contains(kind) ? shared.devices : List.of(this)) {
      for (Kind each : ADDRESSES.contains(kind) ? ADDRESSES : Set.of(kind)) {
        Key key = new Key(each, handle);
        Held known = owner.held.remove(key);
        if (known != null) {
          return new Removed(owner, key, known);
        }
      }
    }
    return null;
  }

  /**
   * Returns the number and bytes of handles by kind, then the first handles; empty if none is open.
   */
  String report() {
    List<Map.Entry<Key, Held>> open =
        held.entrySet().stream()
            .sorted(
                Comparator.comparing((Map.Entry<Key, Held> each) -> each.getKey().kind)
                    .thenComparing(each -> each.getKey().handle))
            .toList();
    if (open.isEmpty()) {
      return "";
    }
    StringBuilder text = new StringBuilder("left behind: ");
    text.append(
        open.stream()
            .map(each -> each.getKey().kind)
            .distinct()
            .map(this::count)
            .collect(Collectors.joining(", ")));
    open.stream().limit(LISTED).forEach(each -> describe(text, each.getKey(), each.getValue()));
    if (open.size() > LISTED) {
      text.append("\n  and ").append(open.size() - LISTED).append(" more");
    }
    return text.toString();
  }

  private String count(Kind kind) {
    long count = 0;
    long bytes = 0;
    for (Map.Entry<Key, Held> each : held.entrySet()) {
      if (each.getKey().kind == kind) {
        count++;
        bytes += each.getValue().bytes;
      }
    }
    return count + " x " + kind.words + (bytes == 0 ? "" : " (" + ByteSize.format(bytes) + ")");
  }

  private void describe(StringBuilder text, Key key, Held what) {
    text.append("\n  LEAK: ").append(key.kind.words);
    text.append(what.name.isEmpty() ? "" : " " + what.name);
    if (what.bytes > 0) {
      text.append(" of ").append(ByteSize.format(what.bytes));
    }
    text.append(", 0x%x of device %d, is still held".formatted(key.handle, device));
  }
}
