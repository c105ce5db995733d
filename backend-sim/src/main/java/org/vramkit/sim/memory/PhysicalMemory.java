package org.vramkit.sim.memory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A piece of a device's physical memory, with its bytes if they are simulated. */
public final class PhysicalMemory {
  /** Ordinal of the device; of the one that allocated it, if it is the host's memory. */
  public final int device;

  public final long bytes;

  /** The content; null if bytes are not simulated. */
  public final @Nullable ByteStore content;

  private boolean released;
  private final List<Long> addresses = new ArrayList<>(1);
  private boolean fresh = true;

  /**
   * Creates memory whose content is undefined until written; the content is null if bytes are not
   * simulated.
   */
  public PhysicalMemory(int device, long bytes, @Nullable ByteStore content) {
    this.device = device;
    this.bytes = bytes;
    this.content = content;
  }

  public boolean isReleased() {
    return released;
  }

  public void release() {
    released = true;
  }

  public boolean isMapped() {
    return !addresses.isEmpty();
  }

  /** Returns the address of each mapping, oldest first. */
  public List<Long> getAddresses() {
    return Collections.unmodifiableList(addresses);
  }

  /** Adds a mapping. */
  public void addMapping(long address) {
    addresses.add(address);
    fresh = false;
  }

  public void removeMapping(long address) {
    addresses.remove(address);
  }

  /** Returns whether the memory was never mapped, and therefore never written. */
  public boolean isFresh() {
    return fresh;
  }
}
