package org.vramkit.pool.caching.program;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Graph;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PoolCapture;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

/** The graphs of a {@link RandomProgram}: captured, launched on any stream, closed. */
final class RandomGraphs {
  private static final int MOST = 4;

  private final RandomSettings settings;
  private final CachingAllocator allocator;
  private final List<Graph> graphs = new ArrayList<>();
  private boolean capturing;

  RandomGraphs(RandomSettings settings, CachingAllocator allocator) {
    this.settings = settings;
    this.allocator = allocator;
  }

  /** Whether a stream is captured now, on which nothing else may be submitted. */
  boolean isCapturing() {
    return capturing;
  }

  /** A graph of a few blocks, some of which outlast the capture. */
  void capture(PrivatePool pool, SimStream stream) {
    if (graphs.size() == MOST) {
      return;
    }
    List<Allocation> lasting = new ArrayList<>();
    capturing = true;
    try (PoolCapture capture = pool.capture(stream)) {
      for (int i = settings.random.nextInt(6); i > 0; i--) {
        Allocation block = allocator.allocate(settings.size(), stream);
        stream.launch(SimKernel.named("write").writes(block.getAddress(), block.getSize()).build());
        if (settings.oneIn(2)) {
          block.close();
        } else {
          lasting.add(block);
        }
      }
      if (!settings.oneIn(5)) {
        graphs.add(capture.end());
      }
    } catch (DeviceOutOfMemoryException full) {
      // Nothing came of the capture.
    } finally {
      capturing = false;
    }
    lasting.forEach(Allocation::close);
  }

  void launchOrClose(SimStream stream) {
    if (graphs.isEmpty()) {
      return;
    }
    int index = settings.random.nextInt(graphs.size());
    if (settings.oneIn(2)) {
      graphs.get(index).launch(stream);
      // The next launch may use the same memory.
      stream.getDevice().synchronize();
    } else {
      graphs.remove(index).close();
    }
  }

  void close() {
    graphs.forEach(Graph::close);
  }
}
