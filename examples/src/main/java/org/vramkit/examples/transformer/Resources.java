package org.vramkit.examples.transformer;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Workspace;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.workspace.WorkspacePool;

/** The memory, the streams and the kernels of a device. */
final class Resources implements AutoCloseable {
  /** Activations, and the memory of all pools. */
  final Allocator activations;

  final Allocator temporaries;

  /** Parameters, gradients, tokens. */
  final BufferPool buffers;

  final Workspace workspaces;
  final PinnedPool hostBuffers;
  final Stream main;
  final Stream weights;
  final Stream copies;
  final Order order;
  final Kernels kernels;
  final Matmul matmul;

  /** Steps of the close, the first first. */
  private final Deque<Runnable> closes = new ArrayDeque<>();

  Resources(Device device, Device[] peers, TrainingOptions options, Setup setup) {
    try {
      activations = keep(options.memory().open(device, peers));
      temporaries = keep(options.memory().openForTemporaries(device, activations));
      buffers = keep(BufferPool.create(activations));
      workspaces = keep(WorkspacePool.create(activations));
      hostBuffers = keep(PinnedPool.create(device));
      main = keep(device.createStream("main"));
      weights = keep(device.createStream("weights"));
      copies = keep(device.createStream("copies"));
      order = keep(setup.orders().apply(device));
      kernels = keep(new Kernels(device, setup.ptx()));
      matmul =
          keep(
              options.cublasLt()
                  ? new CublasLtMatmul(device, workspaces)
                  : new KernelMatmul(kernels));
    } catch (RuntimeException | Error e) {
      Batch.after(e, this::close);
      throw e;
    }
  }

  /** Closes something with these resources, before what was opened earlier. */
  <T extends AutoCloseable> T keep(T opened) {
    closes.push(() -> close(opened));
    return opened;
  }

  private static void close(AutoCloseable opened) {
    try {
      opened.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("a close failed", e);
    }
  }

  @Override
  public void close() {
    Batch.forEach(List.copyOf(closes), Runnable::run);
  }
}
