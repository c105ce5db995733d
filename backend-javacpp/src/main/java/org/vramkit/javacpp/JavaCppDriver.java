package org.vramkit.javacpp;

import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.Loader;
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

  /**
   * How loading went, once for the process: only the first failure tells the reason, later ones but
   * name the class.
   */
  private record Loading(@Nullable LinkageError failure) {
    static final Loading OUTCOME = load();

    private static Loading load() {
      try {
        Loader.load(cudart.class);
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
    return new JavaCppDriver();
  }

  @Override
  public String getBinding() {
    return "JavaCPP presets for CUDA "
        + cudart.CUDA_VERSION / 1000
        + "."
        + cudart.CUDA_VERSION % 1000 / 10;
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
