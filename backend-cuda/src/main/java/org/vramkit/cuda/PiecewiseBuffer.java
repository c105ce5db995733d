package org.vramkit.cuda;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.CopyBatch;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.driver.HostMemory;
import org.vramkit.cuda.driver.HostPages;

/**
 * Host memory for copies, which threads page-lock piece by piece while the first pieces are in use.
 * Most of the time goes into zeroing pages, which runs in parallel; the driver locks one piece
 * after another. Each copy waits for its pieces. A copy of the driver must lie in one registration,
 * so copies are divided at the borders of pieces.
 *
 * <p>A piece that cannot be locked stays pageable: its copies wait for the stream.
 */
final class PiecewiseBuffer implements PinnedBuffer {
  private static final int PAGE = 4096;
  private static final int MOST_THREADS = 8;

  private final HostPages pages;
  private final Locking locking;
  private final HostMemory memory;
  private final long bytes;
  private final int pieceBytes;

  /** The pieces by index; empty ones cannot be locked. */
  private final List<CompletableFuture<Piece>> pieces = new ArrayList<>();

  private final Lifetime life = new Lifetime(this::end);

  /**
   * How pieces are locked.
   *
   * @param threads runs each task on a thread of its own
   * @param touched receives the number of bytes that threads have touched, or will not touch
   * @param lock page-locks the bytes of a buffer
   */
  record Locking(Executor threads, LongConsumer touched, Function<ByteBuffer, PinnedBuffer> lock) {}

  /**
   * A finished piece.
   *
   * @param locked the locked piece; null if it is pageable
   */
  private record Piece(@Nullable PinnedBuffer locked) {}

  private PiecewiseBuffer(
      HostPages pages, Locking locking, HostMemory memory, long bytes, int pieceBytes) {
    this.pages = pages;
    this.locking = locking;
    this.memory = memory;
    this.bytes = bytes;
    this.pieceBytes = pieceBytes;
    for (long at = 0; at < bytes; at += pieceBytes) {
      pieces.add(new CompletableFuture<>());
    }
  }

  /**
   * Begins to lock memory.
   *
   * @param pieceBytes the size of all pieces but the last, a multiple of the page size
   * @return null if there would be one piece, or pages cannot be mapped
   */
  static @Nullable PiecewiseBuffer begin(
      HostPages pages, Locking locking, long bytes, int pieceBytes) {
    if (bytes <= pieceBytes) {
      return null;
    }
    HostMemory memory = pages.map(bytes);
    if (memory == null) {
      return null;
    }
    PiecewiseBuffer made = new PiecewiseBuffer(pages, locking, memory, bytes, pieceBytes);
    made.begin();
    return made;
  }

  private void begin() {
    AtomicInteger next = new AtomicInteger();
    int processors = Runtime.getRuntime().availableProcessors();
    int threads = Math.min(Math.max(1, processors / 2), Math.min(MOST_THREADS, pieces.size()));
    int begun = 0;
    try {
      for (; begun < threads; begun++) {
        locking.threads.execute(() -> lock(next));
      }
    } catch (OutOfMemoryError noMoreThreads) {
      if (begun == 0) {
        lock(next);
      }
    }
  }

  private void lock(AtomicInteger next) {
    for (int i = next.getAndIncrement(); i < pieces.size(); i = next.getAndIncrement()) {
      long first = (long) i * pieceBytes;
      int size = (int) Math.min(pieceBytes, bytes - first);
      Piece piece = new Piece(null);
      try {
        if (!life.isClosed()) {
          ByteBuffer own = view(first, size);
          for (int at = 0; at < size; at += PAGE) {
            own.put(at, (byte) 0);
          }
          piece = new Piece(locking.lock.apply(own));
        }
      } catch (RuntimeException | Error e) {
        // Copies of the piece are slower, but possible.
      } finally {
        locking.touched.accept(size);
        pieces.get(i).complete(piece);
      }
    }
  }

  private ByteBuffer view(long offset, int count) {
    return memory.view(offset, count).order(ByteOrder.nativeOrder());
  }

  // ---- copies ----

  /** Submits a batch of copies of this buffer. */
  void copyAll(Stream stream, CopyBatch batch) {
    life.enter(this);
    try {
      for (int i = 0; i < batch.getCount(); i++) {
        requireInside(batch.getOffset(i), batch.getBytes(i));
      }
      CopyBatch part = null;
      PinnedBuffer current = this;
      for (int i = 0; i < batch.getCount(); i++) {
        long offset = batch.getOffset(i);
        long address = batch.getAddress(i);
        long end = offset + batch.getBytes(i);
        while (offset < end) {
          long first = offset - offset % pieceBytes;
          long length = Math.min(end, first + pieceBytes) - offset;
          PinnedBuffer piece = pieces.get((int) (first / pieceBytes)).join().locked();
          if (piece == null) {
            copyPageable(stream, batch.isToHost(), offset, address, (int) length);
          } else {
            if (part == null || current != piece) {
              submit(stream, part, current);
              part = batch.isToHost() ? CopyBatch.toHost() : CopyBatch.toDevice();
              current = piece;
            }
            part.add(offset - first, address, length);
          }
          offset += length;
          address += length;
        }
      }
      submit(stream, part, current);
    } finally {
      life.leave();
    }
  }

  private static void submit(Stream stream, @Nullable CopyBatch part, PinnedBuffer piece) {
    if (part != null) {
      stream.copyAll(part, piece);
    }
  }

  private void copyPageable(Stream stream, boolean toHost, long offset, long address, int length) {
    if (toHost) {
      stream.copyToHost(view(offset, length), address);
    } else {
      stream.copyToDevice(address, view(offset, length));
    }
  }

  /** Throws if a range is not inside, or the buffer is closed. */
  void requireUsable(long offset, long count) {
    life.enter(this);
    try {
      requireInside(offset, count);
    } finally {
      life.leave();
    }
  }

  /** Refuses a view that is longer than a ByteBuffer can show. */
  static void requireViewable(int count) {
    if (count > LONGEST_VIEW) {
      throw new InvalidArgumentException(
          "a view of "
              + count
              + " bytes is longer than "
              + LONGEST_VIEW
              + ", the most that a ByteBuffer shows; take views of parts");
    }
  }

  private void requireInside(long offset, long count) {
    if (offset < 0 || count < 0 || count > bytes - offset) {
      throw new InvalidArgumentException(
          count + " bytes from offset " + offset + " are not inside " + this);
    }
  }

  // ---- the host's view ----

  /** Returns the address, once all pieces are locked. */
  @Override
  public long getAddress() {
    life.enter(this);
    try {
      pieces.forEach(CompletableFuture::join);
      return memory.getAddress();
    } finally {
      life.leave();
    }
  }

  @Override
  public long getSize() {
    return bytes;
  }

  @Override
  public ByteBuffer getBytes(long offset, int count) {
    requireViewable(count);
    life.enter(this);
    try {
      requireInside(offset, count);
      // The threads write to each page of a piece before they lock it.
      for (long at = offset; at < offset + count; at += pieceBytes - at % pieceBytes) {
        pieces.get((int) (at / pieceBytes)).join();
      }
      return view(offset, count);
    } finally {
      life.leave();
    }
  }

  @Override
  public void close() {
    life.close();
  }

  /** Unlocks all pieces; memory that stays locked after a failure stays mapped, too. */
  private void end() {
    List<PinnedBuffer> locked = new ArrayList<>();
    for (CompletableFuture<Piece> each : pieces) {
      PinnedBuffer piece = each.join().locked();
      if (piece != null) {
        locked.add(piece);
      }
    }
    Batch.forEach(locked, PinnedBuffer::close);
    pages.unmap(memory, bytes);
  }

  @Override
  public String toString() {
    return "page-locked buffer of "
        + bytes
        + " bytes in pieces at 0x"
        + Long.toHexString(memory.getAddress());
  }
}
