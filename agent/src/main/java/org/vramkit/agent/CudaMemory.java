package org.vramkit.agent;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.api.error.GpuException;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

/**
 * The memory that the driver allocated or registered, by its address, which is the same for devices
 * and the host. Safe for any thread.
 */
final class CudaMemory {
  private static final long PITCH = 512;

  /** The origin of a block. */
  enum Kind {
    PLAIN,
    STREAM_ORDERED,
    PAGE_LOCKED,
    REGISTERED,
    MANAGED,
    /** A variable of a module. */
    VARIABLE,
    /** Physical memory that is mapped at reserved addresses. */
    MAPPED
  }

  /**
   * A block.
   *
   * @param buffer the simulated buffer; null for memory of a device, which the host cannot access
   * @param flags as given when it was allocated or registered; of mapped memory, its access
   */
  record Block(
      Kind kind,
      CudaContext context,
      long address,
      long bytes,
      @Nullable PinnedBuffer buffer,
      int flags) {
    boolean isOfHost() {
      return kind == Kind.PAGE_LOCKED || kind == Kind.REGISTERED;
    }

    /** Returns whether the block ends with its context. */
    boolean endsWithContext() {
      return kind != Kind.VARIABLE && kind != Kind.MAPPED;
    }

    /** Returns whether devices may access the block; mapped memory is opened by a call. */
    boolean isOpen() {
      return kind != Kind.MAPPED || flags != 0;
    }

    PinnedBuffer requireBuffer() {
      if (buffer == null) {
        throw new NoSuchElementException("no buffer at 0x" + Long.toHexString(address));
      }
      return buffer;
    }
  }

  private final TreeMap<Long, Block> byAddress = new TreeMap<>();
  private final TreeMap<Long, Reservation> reservations = new TreeMap<>();

  /** Reserved addresses of a device. */
  private record Reservation(SimDevice device, long bytes) {}

  private synchronized void add(Block block) {
    byAddress.put(block.address, block);
  }

  private synchronized void remove(Block block) {
    byAddress.remove(block.address);
  }

  /** Returns the block that an address lies in; null for none. */
  synchronized @Nullable Block at(long address) {
    Map.Entry<Long, Block> below = byAddress.floorEntry(address);
    return below != null && address - below.getKey() < below.getValue().bytes
        ? below.getValue()
        : null;
  }

  private Block startingAt(long address, int status) {
    Block found = CudaError.found(at(address), status);
    CudaError.require(found.address == address, status);
    return found;
  }

  /** Refuses a call whose range is not inside one block, or mappings that lie side by side. */
  synchronized void requireInside(long address, long bytes) {
    Block found = CudaError.found(at(address), CudaError.INVALID_VALUE);
    long end = found.address + found.bytes;
    Block next = byAddress.get(end);
    while (found.kind == Kind.MAPPED && next != null && next.kind == Kind.MAPPED) {
      end += next.bytes;
      next = byAddress.get(end);
    }
    CudaError.require(bytes <= end - address, CudaError.INVALID_VALUE);
  }

  // ---- memory of devices ----

  long allocate(CudaContext context, long bytes) {
    requireSize(bytes);
    long address = context.device.getMemory().allocate(bytes);
    add(new Block(Kind.PLAIN, context, address, bytes, null, 0));
    return address;
  }

  private static void requireSize(long bytes) {
    CudaError.require(bytes != 0, CudaError.INVALID_VALUE);
    CudaError.require(bytes > 0, CudaError.OUT_OF_MEMORY);
  }

  /** Returns the distance of rows of a width; 0 for none, and for one that is too large. */
  static long pitchOf(long width) {
    return (width + PITCH - 1) & -PITCH;
  }

  /** Allocates in stream order. */
  long allocate(CudaStream stream, StreamOrderedMemory from, long bytes) {
    requireSize(bytes);
    long address = from.allocate(bytes, stream.stream);
    add(new Block(Kind.STREAM_ORDERED, stream.context, address, bytes, null, 0));
    return address;
  }

  void free(long address, CudaStream stream) {
    Block block = startingAt(address, CudaError.INVALID_VALUE);
    CudaError.require(block.kind != Kind.MANAGED, CudaError.NOT_SUPPORTED);
    boolean freeable = block.kind == Kind.PLAIN || block.kind == Kind.STREAM_ORDERED;
    CudaError.require(freeable, CudaError.INVALID_VALUE);
    SimStream on = stream.stream;
    on.getDevice().getStreamOrderedMemory().free(address, on);
    remove(block);
  }

  /** Frees memory of a device, or managed memory; 0 is no memory and fine. */
  void free(long address) {
    if (address != 0) {
      Block block = startingAt(address, CudaError.INVALID_VALUE);
      CudaError.require(!block.isOfHost(), CudaError.INVALID_VALUE);
      CudaError.require(block.endsWithContext(), CudaError.INVALID_VALUE);
      release(block);
    }
  }

  /** Makes a variable of a module known. */
  void addVariable(CudaContext context, long address, long bytes) {
    add(new Block(Kind.VARIABLE, context, address, bytes, null, 0));
  }

  void removeVariable(long address) {
    remove(startingAt(address, CudaError.INVALID_VALUE));
  }

  // ---- virtual memory ----

  synchronized void addReservation(SimDevice device, long address, long bytes) {
    reservations.put(address, new Reservation(device, bytes));
  }

  /** Returns the device at whose reservation an address lies. */
  synchronized SimDevice deviceOfReservation(long address) {
    Map.Entry<Long, Reservation> found = reservations.floorEntry(address);
    boolean isInside = found != null && address - found.getKey() < found.getValue().bytes;
    CudaError.require(isInside, CudaError.INVALID_VALUE);
    return CudaError.found(found, CudaError.INVALID_VALUE).getValue().device;
  }

  synchronized void removeReservation(long address) {
    reservations.remove(address);
  }

  /** Makes mapped memory known, which no device may access yet. */
  void addMapping(CudaContext context, long address, long bytes) {
    add(new Block(Kind.MAPPED, context, address, bytes, null, 0));
  }

  /** Opens or closes all mapped memory of a range. */
  synchronized void setAccess(long address, long bytes, boolean open) {
    byAddress
        .subMap(address, address + bytes)
        .replaceAll(
            (at, each) -> new Block(Kind.MAPPED, each.context, at, each.bytes, null, open ? 1 : 0));
  }

  synchronized void removeMappings(long address, long bytes) {
    byAddress.subMap(address, address + bytes).clear();
  }

  private void release(Block block) {
    if (block.buffer == null) {
      block.context.device.getMemory().free(block.address);
    } else {
      block.buffer.close();
    }
    remove(block);
  }

  /** Frees everything that belongs to a context that ends. */
  void freeAll(CudaContext context) {
    List<Block> left;
    synchronized (this) {
      left =
          byAddress.values().stream()
              .filter(each -> each.context == context && each.endsWithContext())
              .toList();
    }
    for (Block each : left) {
      try {
        release(each);
      } catch (GpuException unknown) {
        remove(each);
      }
    }
  }

  // ---- memory of the host ----

  /** Allocates page-locked memory. */
  Block allocateHost(CudaContext context, long bytes, int flags) {
    requireSize(bytes);
    return host(Kind.PAGE_LOCKED, context, context.device.getPinnedMemory().allocate(bytes), flags);
  }

  Block allocateManaged(CudaContext context, long bytes, int flags) {
    requireSize(bytes);
    return host(Kind.MANAGED, context, context.device.getManagedMemory().allocate(bytes), flags);
  }

  /** Page-locks memory of the program. */
  void register(CudaContext context, ByteBuffer memory, int flags) {
    PinnedBuffer made = context.device.getPinnedMemory().register(memory);
    host(Kind.REGISTERED, context, made, flags);
  }

  private Block host(Kind kind, CudaContext context, PinnedBuffer buffer, int flags) {
    Block block = new Block(kind, context, buffer.getAddress(), buffer.getSize(), buffer, flags);
    add(block);
    return block;
  }

  void freeHost(long address) {
    Block block = startingAt(address, CudaError.INVALID_VALUE);
    CudaError.require(block.kind == Kind.PAGE_LOCKED, CudaError.INVALID_VALUE);
    release(block);
  }

  void unregister(long address) {
    CudaError.require(address != 0, CudaError.INVALID_VALUE);
    Block block = CudaError.found(at(address), CudaError.HOST_MEMORY_NOT_REGISTERED);
    boolean fits = block.address == address && block.kind == Kind.REGISTERED;
    CudaError.require(fits, CudaError.INVALID_VALUE);
    release(block);
  }
}
