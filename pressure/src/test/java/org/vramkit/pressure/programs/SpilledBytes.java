package org.vramkit.pressure.programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.vramkit.pressure.SpillStore;
import org.vramkit.pressure.Spillable;
import org.vramkit.pressure.SpillableLease;
import org.vramkit.sim.SimStream;

/** A spillable buffer with the same byte everywhere. */
final class SpilledBytes implements AutoCloseable {
  private final Spillable buffer;
  private boolean isWritten;
  private byte value;

  SpilledBytes(SpillStore store, long size, int priority) {
    this.buffer = store.create(size, priority);
  }

  /** Writes or checks the bytes. */
  void use(SimStream stream, SplittableRandom random) {
    try (SpillableLease lease = buffer.materialize(stream)) {
      if (!isWritten || random.nextBoolean()) {
        value = (byte) random.nextInt(256);
        isWritten = true;
        stream.fill(lease.getAddress(), value, buffer.getSize());
      } else {
        byte[] bytes = new byte[(int) buffer.getSize()];
        stream.copyToHost(ByteBuffer.wrap(bytes), lease.getAddress());
        assertArrayEquals(Accesses.repeat(value, bytes.length), bytes, buffer::toString);
      }
    }
  }

  @Override
  public void close() {
    buffer.close();
  }
}
