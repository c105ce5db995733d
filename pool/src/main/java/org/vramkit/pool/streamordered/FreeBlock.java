package org.vramkit.pool.streamordered;

import java.util.List;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.support.Chain;
import org.vramkit.pool.support.RecordedUses;

/** A block that its user has closed. */
final class FreeBlock extends Chain.Link<FreeBlock> {
  final long address;
  final long bytes;

  /** The stream that it belonged to. */
  final Stream stream;

  /** That stream and the recorded ones, as far as they had not passed the free when last asked. */
  final RecordedUses uses = new RecordedUses();

  /** Whether no other stream was recorded. */
  final boolean ownUseOnly;

  /** The time of the free on the pool's clock. */
  private final long freedAtNanos;

  /** Whether all have passed the free. Guarded by the lock of the free blocks. */
  boolean settled;

  FreeBlock(long address, long bytes, Stream stream, List<Stream> users, long freedAtNanos) {
    this.address = address;
    this.bytes = bytes;
    this.stream = stream;
    this.ownUseOnly = users.isEmpty();
    this.freedAtNanos = freedAtNanos;
    uses.record(stream);
    users.forEach(uses::record);
  }

  long bytes() {
    return bytes;
  }

  /** Whether it was freed before a time of the pool's clock, which may wrap. */
  boolean isOlderThan(long nanos) {
    return freedAtNanos - nanos < 0;
  }
}
