package org.vramkit.cuda;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.PinnedMemory;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.HostMemory;

/** Allocates and registers page-locked host memory, and allocates managed memory. */
final class CudaPinnedMemory implements PinnedMemory {
  /** Long enough for the driver's calls to take little of the time, and the first copy to start. */
  private static final int PIECE_BYTES = 128 << 20;

  private final CudaDevice device;

  CudaPinnedMemory(CudaDevice device) {
    this.device = device;
  }

  @Override
  public PinnedBuffer allocate(long bytes) {
    CudaDeviceMemory.requirePositive(bytes);
    HostMemory[] made = new HostMemory[1];
    device.context.allocate(
        "cuMemAllocHost", bytes, () -> device.driver.memory().cuMemAllocHost(made, bytes));
    return CudaPinnedBuffer.allocated(device, made[0], bytes);
  }

  @Override
  public PinnedBuffer allocateForCopies(long bytes) {
    boolean fits = bytes > PIECE_BYTES && new HostHeadroom(Path.of("/")).claim(bytes);
    PinnedBuffer pieces = fits ? lockInPieces(bytes) : null;
    return pieces == null ? allocate(bytes) : pieces;
  }

  private @Nullable PinnedBuffer lockInPieces(long bytes) {
    PinnedBuffer made = null;
    try {
      made =
          PiecewiseBuffer.begin(
              device.driver.hostPages(),
              new PiecewiseBuffer.Locking(
                  CudaPinnedMemory::startThread, HostHeadroom::touched, this::lockPiece),
              bytes,
              PIECE_BYTES);
      return made;
    } finally {
      if (made == null) {
        HostHeadroom.touched(bytes);
      }
    }
  }

  private static void startThread(Runnable task) {
    Thread thread = new Thread(task, "vramkit page-locking");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Page-locks memory on a thread of its own, also while another library captures on any thread.
   */
  @SuppressWarnings("try") // the relaxation is held, not used
  PinnedBuffer lockPiece(ByteBuffer piece) {
    if (!device.supports(Capability.GRAPHS)) {
      return register(piece);
    }
    try (Graphs.Relaxation relaxation = device.graphs.relax()) {
      return register(piece);
    }
  }

  /** Allocates managed memory. */
  PinnedBuffer manage(long bytes) {
    CudaDeviceMemory.requirePositive(bytes);
    HostMemory[] made = new HostMemory[1];
    device.context.allocate(
        "cuMemAllocManaged", bytes, () -> device.driver.memory().cuMemAllocManaged(made, bytes));
    return CudaPinnedBuffer.managed(device, made[0], bytes);
  }

  @Override
  public PinnedBuffer register(ByteBuffer memory) {
    if (!memory.isDirect() || memory.isReadOnly() || !memory.hasRemaining()) {
      throw new InvalidArgumentException(
          "cannot page-lock " + memory + ": pass a direct, writable buffer with remaining bytes");
    }
    ByteBuffer bytes = memory.slice();
    HostMemory[] made = new HostMemory[1];
    int result =
        device.context.call(
            "cuMemHostRegister", () -> device.driver.memory().cuMemHostRegister(made, bytes));
    if (result == CudaResult.HOST_MEMORY_ALREADY_REGISTERED) {
      throw device.errors.error(
          "cuMemHostRegister",
          result,
          "cannot page-lock "
              + bytes.capacity()
              + " bytes, because some of their pages are already locked; close the buffer that"
              + " locks them first, or pass memory that is aligned to pages");
    }
    device.errors.requireMemory("cuMemHostRegister", bytes.capacity(), result);
    return CudaPinnedBuffer.registered(device, made[0], bytes);
  }
}
