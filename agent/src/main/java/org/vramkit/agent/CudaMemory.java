package org.vramkit.agent;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.error.GpuException;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

/**
 * The memory that the driver allocated or registered, by its address, which is the same for devices
 * and the host. Safe for any thread.
 */
final class CudaMemory {
  private static final int PITCH = 512;

  /** The origin of a block. */
  enum Kind {
    PLAIN,
    STREAM_ORDERED,
    PAGE_LOCKED,
    REGISTERED,
    MANAGED,
    /** A variable of a module. */
    VARIABLE
  }

  /**
   * A block.
   *
   * @param buffer the simulated buffer; null for memory of a device, which the host cannot access
   * @param flags as given when it was allocated or registered
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

    PinnedBuffer requireBuffer() {
      if (buffer == null) {
        throw new NoSuchElementException("no buffer at 0x" + Long.toHexString(address));
      }
      return buffer;
    }
  }

  private final TreeMap<Long, Block> byAddress = new TreeMap<>();

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

  /** Refuses a call whose range is not inside one block. */
  void requireInside(long address, long bytes) {
    Block found = CudaError.found(at(address), CudaError.INVALID_VALUE);
    CudaError.require(bytes <= found.address + found.bytes - address, CudaError.INVALID_VALUE);
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

  /** Returns the distance of rows of a width. */
  static long pitchOf(long width) {
    CudaError.require(width > 0, CudaError.INVALID_VALUE);
    return (width + PITCH - 1) / PITCH * PITCH;
  }

  long allocate(CudaStream stream, long bytes) {
    requireSize(bytes);
    SimDevice device = stream.context.device;
    long address = device.getStreamOrderedMemory().allocate(bytes, stream.stream);
    add(new Block(Kind.STREAM_ORDERED, stream.context, address, bytes, null, 0));
    return address;
  }

  void free(long address, CudaStream stream) {
    Block block = startingAt(address, CudaError.INVALID_VALUE);
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
      CudaError.require(block.kind != Kind.VARIABLE, CudaError.INVALID_VALUE);
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
              .filter(each -> each.context == context && each.kind != Kind.VARIABLE)
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
    Block block = startingAt(address, CudaError.HOST_MEMORY_NOT_REGISTERED);
    CudaError.require(block.kind == Kind.REGISTERED, CudaError.INVALID_VALUE);
    release(block);
  }
}
