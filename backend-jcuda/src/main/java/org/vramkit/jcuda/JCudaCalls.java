package org.vramkit.jcuda;

import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;
import org.vramkit.cuda.driver.ContextCalls;
import org.vramkit.cuda.driver.CopyCalls;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.DeviceCalls;
import org.vramkit.cuda.driver.EventCalls;
import org.vramkit.cuda.driver.MemoryCalls;
import org.vramkit.cuda.driver.PoolAttributeCalls;
import org.vramkit.cuda.driver.PoolCalls;
import org.vramkit.cuda.driver.StreamCalls;
import org.vramkit.cuda.driver.VirtualMemoryCalls;

/**
 * The driver through JCuda. Virtual memory counts as absent because JCuda 12.6.0 sends wrong
 * arguments to {@code cuMemCreate} and {@code cuMemSetAccess}; the attributes of pools are not
 * bound.
 */
final class JCudaCalls implements CudaDriver {
  private final DeviceCalls devices = new JCudaDevices();
  private final ContextCalls contexts = new JCudaContexts();
  private final StreamCalls streams = new JCudaStreams();
  private final EventCalls events = new JCudaEvents();
  private final MemoryCalls memory = new JCudaMemory();
  private final CopyCalls copies = new JCudaCopies();
  private final PoolCalls pools = new JCudaPools();

  private JCudaCalls() {}

  /**
   * How loading went, once for the process: only the first failure tells the reason, later ones but
   * name the class.
   */
  private record Loading(@Nullable LinkageError failure) {
    static final Loading OUTCOME = load();

    private static Loading load() {
      try {
        // Any call loads the library; this one needs neither a device nor a context.
        Results.of(() -> JCudaDriver.cuDriverGetVersion(new int[1]));
        return new Loading(null);
      } catch (LinkageError e) {
        return new Loading(e);
      }
    }
  }

  /**
   * The calls.
   *
   * @throws LinkageError the first that loading met
   */
  static CudaDriver load() {
    LinkageError failure = Loading.OUTCOME.failure();
    if (failure != null) {
      throw failure;
    }
    return new JCudaCalls();
  }

  @Override
  public String getBinding() {
    return "JCuda for CUDA "
        + JCudaDriver.CUDA_VERSION / 1000
        + "."
        + JCudaDriver.CUDA_VERSION % 1000 / 10;
  }

  @Override
  public DeviceCalls devices() {
    return devices;
  }

  @Override
  public ContextCalls contexts() {
    return contexts;
  }

  @Override
  public StreamCalls streams() {
    return streams;
  }

  @Override
  public EventCalls events() {
    return events;
  }

  @Override
  public MemoryCalls memory() {
    return memory;
  }

  @Override
  public CopyCalls copies() {
    return copies;
  }

  @Override
  public PoolCalls pools() {
    return pools;
  }

  @Override
  public PoolAttributeCalls poolAttributes() {
    return PoolAttributeCalls.ABSENT;
  }

  @Override
  public VirtualMemoryCalls virtualMemory() {
    return VirtualMemoryCalls.ABSENT;
  }
}
