package org.vramkit.sim;

import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;

/** Tells the checker what pools hand out and take back. */
final class SimMemoryObserver implements MemoryObserver {
  private final SimDevice device;

  SimMemoryObserver(SimDevice device) {
    this.device = device;
  }

  @Override
  public void allocated(long address, long bytes, Stream stream) {
    device.locked(
        () ->
            device.engine.checker.poolAllocated(
                device.getOrdinal(), address, bytes, device.ours(stream).clock()));
  }

  @Override
  public void used(long address, Stream stream) {
    device.locked(
        () ->
            device.engine.checker.poolUsed(
                device.getOrdinal(), address, device.ours(stream).clock()));
  }

  @Override
  public void freed(long address, Stream stream) {
    device.locked(
        () ->
            device.engine.checker.poolFreed(
                device.getOrdinal(), address, device.ours(stream).clock()));
  }
}
