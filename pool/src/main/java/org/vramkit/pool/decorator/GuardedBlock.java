package org.vramkit.pool.decorator;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.pool.support.CapturedStreams;

/** An allocation between its red zones. Safe for any thread, as the one that it is part of. */
final class GuardedBlock implements Allocation {
  private static final byte RED = (byte) 0xFD;
  private static final byte NEW = (byte) 0xCD;
  private static final byte CLOSED = (byte) 0xDD;

  /** Bytes of a red zone that an error shows. */
  private static final int SHOWN = 8;

  private final Allocation whole;
  private final Stream stream;
  private final CapturedStreams captured;
  private final long front;
  private final int width;
  private final long address;
  private final long size;
  private final String owner;
  private final Set<Stream> users = ConcurrentHashMap.newKeySet();

  /**
   * A block in an allocation.
   *
   * @param front bytes of the allocation before the block, of which the last are a red zone
   */
  GuardedBlock(
      Allocation whole, long front, long size, int width, String owner, CapturedStreams captured) {
    this.whole = whole;
    this.stream = whole.getStream();
    this.captured = captured;
    this.front = front;
    this.width = width;
    this.address = whole.getAddress() + front;
    this.size = size;
    this.owner = owner;
  }

  /** Lays the zones, in the order of the stream. */
  void fill() {
    stream.fill(address - width, RED, width);
    stream.fill(address, NEW, size);
    stream.fill(address + size, RED, width);
  }

  /**
   * Looks at the zones once all work that may use the memory is done, and spoils what is between.
   * Of a lost device, and after the close of the backend, there is nothing to look at; and a wait
   * would spoil a capture.
   *
   * @throws GuardViolationException if one was written to
   */
  void check() {
    try {
      if (isUnasked()) {
        return;
      }
      boolean isOpen = !stream.isClosed();
      if (!areSynchronized(users) || !isOpen) {
        // Asked again: one was perhaps closed since the first question, beside a capture.
        if (isUnasked()) {
          return;
        }
        stream.getDevice().synchronize();
      }
      checkOn(isOpen ? stream : stream.getDevice().getDefaultStream());
    } catch (FatalDeviceException | ClosedException gone) {
      // So is the memory, or the stream has just been closed and its device is captured.
    }
  }

  private boolean isUnasked() {
    return captured.isUnasked(stream) || users.stream().anyMatch(captured::isUnasked);
  }

  /** Waits for users; returns false if one is closed, and only the whole device can tell. */
  private static boolean areSynchronized(Set<Stream> users) {
    try {
      users.forEach(Stream::synchronize);
      return true;
    } catch (ClosedException closed) {
      return false;
    }
  }

  private void checkOn(Stream reader) {
    String before = violation(reader, address - width, /* isBehind= */ false);
    String behind = violation(reader, address + size, /* isBehind= */ true);
    reader.fill(address, CLOSED, size);
    if (!reader.equals(stream)) {
      // Nothing that has the memory next comes after this stream.
      reader.synchronize();
    }
    if (before != null || behind != null) {
      throw new GuardViolationException(
          (before == null ? "" : before)
              + (before == null || behind == null ? "" : "; ")
              + (behind == null ? "" : behind)
              + "; the memory is "
              + ByteSize.format(size)
              + " at 0x"
              + Long.toHexString(address)
              + " of "
              + stream
              + ", "
              + owner);
    }
  }

  /** What was written to a zone; null if nothing. */
  private @Nullable String violation(Stream reader, long zone, boolean isBehind) {
    byte[] bytes = new byte[width];
    reader.copyToHost(ByteBuffer.wrap(bytes), zone);
    int written = 0;
    int nearest = -1;
    for (int i = 0; i < width; i++) {
      if (bytes[i] != RED) {
        written++;
        nearest = isBehind && nearest >= 0 ? nearest : i;
      }
    }
    if (written == 0) {
      return null;
    }
    int shown = isBehind ? nearest : Math.max(0, nearest - SHOWN + 1);
    return Count.of(written, "byte")
        + (isBehind ? " behind the end" : " before the begin")
        + " of memory written, the nearest "
        + (isBehind ? nearest + 1 : width - nearest)
        + " away: there is "
        + HexFormat.ofDelimiter(" ")
            .formatHex(bytes, shown, Math.min(width, Math.min(shown + SHOWN, nearest + SHOWN)))
        + ", not "
        + HexFormat.of().toHexDigits(RED);
  }

  @Override
  public long getAddress() {
    // Asked for the error, if it is closed.
    return whole.getAddress() + front;
  }

  @Override
  public long getSize() {
    return size;
  }

  @Override
  public Stream getStream() {
    return whole.getStream();
  }

  @Override
  public boolean isClosed() {
    return whole.isClosed();
  }

  @Override
  public void recordUse(Stream stream) {
    whole.recordUse(stream);
    users.add(stream);
  }

  @Override
  public void close() {
    whole.close();
  }

  @Override
  public String toString() {
    return "guarded " + whole;
  }
}
