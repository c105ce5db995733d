package org.vramkit.cuda;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.vramkit.api.units.ByteSize;

/**
 * Copies between a device and buffers that the caller may reuse when the call returns. Direct
 * buffers are passed to the driver; heap buffers are copied in pieces through direct staging
 * buffers. Each copy waits for its stream, because a buffer may be page-locked without Vramkit's
 * knowledge, and the driver would then access it asynchronously.
 */
final class HostCopies {
  private static final int PIECE = (int) ByteSize.MIB;

  /**
   * Free staging buffers, at most as many as concurrent heap copies. A buffer whose copy failed is
   * not reused, because the device may still access it.
   */
  private final ConcurrentLinkedQueue<ByteBuffer> pieces = new ConcurrentLinkedQueue<>();

  /**
   * Buffers that the device may still access because a wait failed, kept as long as the device
   * object, because no earlier time is known to be safe. Grows only if waits fail and CUDA is not
   * lost.
   */
  private final ConcurrentLinkedQueue<ByteBuffer> abandoned = new ConcurrentLinkedQueue<>();

  /** Keeps a buffer reachable whose copy may still be in progress. */
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
