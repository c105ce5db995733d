package org.vramkit.cuda;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.vramkit.api.units.ByteSize;

/**
 * Copies between a device and buffers that the user may touch again when the call returns. Direct
 * buffers go to the driver as they are, heap buffers through direct ones of ours, piece by piece.
 * Each copy waits for its stream: whether memory that looks pageable is page-locked, and then read
 * only later, is nothing that the driver tells.
 */
final class HostCopies {
  private static final int PIECE = (int) ByteSize.MIB;

  /**
   * Pieces that no copy uses; as many as there ever were heap copies at once. One whose copy failed
   * does not come back: the device may still work on it.
   */
  private final ConcurrentLinkedQueue<ByteBuffer> pieces = new ConcurrentLinkedQueue<>();

  /**
   * Buffers, of ours and of users, on which the device may still work because the wait for it
   * failed: kept from the garbage collector as long as the device object. Not bounded, as no later
   * moment is known to be safe: one for each wait that failed without CUDA being lost, after which
   * few programs go on.
   */
  private final ConcurrentLinkedQueue<ByteBuffer> abandoned = new ConcurrentLinkedQueue<>();

  /** Keeps the memory of a buffer whose copy was not waited for. */
  void abandon(ByteBuffer buffer) {
    abandoned.add(buffer);
  }

  void toDevice(CudaStream stream, long target, ByteBuffer source) {
    if (source.isDirect()) {
      try {
        stream.copyNow(target, source.slice());
      } finally {
        Reference.reachabilityFence(source);
      }
      return;
    }
    ByteBuffer piece = takePiece();
    ByteBuffer rest = source.duplicate();
    long at = target;
    while (rest.hasRemaining()) {
      int bytes = Math.min(PIECE, rest.remaining());
      piece.clear().put(0, rest, rest.position(), bytes);
      stream.copyNow(at, piece.slice(0, bytes));
      rest.position(rest.position() + bytes);
      at += bytes;
    }
    pieces.add(piece);
  }

  void toHost(CudaStream stream, ByteBuffer target, long source) {
    if (target.isDirect()) {
      try {
        stream.copyNow(target.slice(), source);
      } finally {
        Reference.reachabilityFence(target);
      }
      return;
    }
    ByteBuffer piece = takePiece();
    ByteBuffer rest = target.duplicate();
    long at = source;
    while (rest.hasRemaining()) {
      int bytes = Math.min(PIECE, rest.remaining());
      stream.copyNow(piece.slice(0, bytes), at);
      rest.put(piece.slice(0, bytes));
      at += bytes;
    }
    pieces.add(piece);
  }

  private ByteBuffer takePiece() {
    ByteBuffer free = pieces.poll();
    return free != null ? free : ByteBuffer.allocateDirect(PIECE);
  }
}
