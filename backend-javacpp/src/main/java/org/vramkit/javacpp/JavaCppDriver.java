package org.vramkit.javacpp;

import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.Loader;
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
 * The driver through the presets, which bind everything. Functions are bound to the driver when
 * they are first called, and one that the installed driver lacks ends the JVM: whoever calls must
 * have asked for the driver's version.
 */
final class JavaCppDriver implements CudaDriver {
  private final DeviceCalls devices = new JavaCppDevices();
  private final ContextCalls contexts = new JavaCppContexts();
  private final StreamCalls streams = new JavaCppStreams();
  private final EventCalls events = new JavaCppEvents();
  private final MemoryCalls memory = new JavaCppMemory();
  private final CopyCalls copies = new JavaCppCopies();
  private final JavaCppPools pools = new JavaCppPools();
  private final VirtualMemoryCalls virtualMemory = new JavaCppVirtualMemory();

  private JavaCppDriver() {}

  /** Loads when first asked for. */
  private static final class Loading {
    static final BindingLoad OUTCOME = BindingLoad.attempt(() -> Loader.load(cudart.class));
  }

  /**
   * The calls.
   *
   * @throws LinkageError the first that loading met, as is a {@link RuntimeException}
   */
  static CudaDriver load() {
    Loading.OUTCOME.require();
    return new JavaCppDriver();
  }

  @Override
  public String getBinding() {
    return "JavaCPP presets for CUDA " + BindingVersion.of(cudart.class, "org.bytedeco", "cuda");
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
    return pools;
  }

  @Override
  public VirtualMemoryCalls virtualMemory() {
    return virtualMemory;
  }
}
