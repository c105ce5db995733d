package org.vramkit.jcuda;

import jcuda.driver.JCudaDriver;
import org.vramkit.cuda.driver.BindingLoad;
import org.vramkit.cuda.driver.BindingVersion;
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

  /** Loads when first asked for. */
  private static final class Loading {
    // Any call loads the library; this one needs neither a device nor a context.
    static final BindingLoad OUTCOME =
        BindingLoad.attempt(() -> Results.of(() -> JCudaDriver.cuDriverGetVersion(new int[1])));
  }

  /**
   * The calls.
   *
   * @throws LinkageError the first that loading met, as is a {@link RuntimeException}
   */
  static CudaDriver load() {
    Loading.OUTCOME.require();
    return new JCudaCalls();
  }

  @Override
  public String getBinding() {
    return "JCuda " + BindingVersion.of(JCudaDriver.class, "org.jcuda", "jcuda");
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
