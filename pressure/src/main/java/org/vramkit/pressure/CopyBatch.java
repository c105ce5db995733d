package org.vramkit.pressure;

import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;

/**
 * Copies from the device to the host. Copies that are adjacent on both sides are combined, because
 * a driver call takes as long as copying some hundred KiB. Not thread-safe.
 */
final class CopyBatch {
  private final Stream stream;

  private long address;
  private long offset;
  private long bytes;

  CopyBatch(Stream stream) {
    this.stream = stream;
  }

  /** Adds a copy. If it is not adjacent to the added copies, submits these first. */
  void add(PinnedBuffer host, long hostOffset, long from, long size) {
    if (from != address + bytes || hostOffset != offset + bytes) {
      submit(host);
      address = from;
      offset = hostOffset;
    }
    bytes += size;
  }

  /** Submits the added copies. */
  void submit(PinnedBuffer host) {
    if (bytes == 0) {
      return;
    }
    stream.copyToHost(host, offset, address, bytes);
    bytes = 0;
  }
}
