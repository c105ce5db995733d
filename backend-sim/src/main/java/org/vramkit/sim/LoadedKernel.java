package org.vramkit.sim;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.KernelAttributes;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.KernelParameter;
import org.vramkit.api.device.KernelSignature;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.spi.LaunchArguments;
import org.vramkit.ptx.PtxKernel;
import org.vramkit.ptx.PtxParameter;

/** A kernel of a loaded module. */
final class LoadedKernel implements Kernel {
  /** The shared memory that the driver assigns in units of this size. */
  private static final int SHARED_UNIT = 16;

  private static final Pattern ADDRESS_ALIGNMENT = Pattern.compile("\\.ptr.*?\\.align\\s+(\\d+)");

  final SimModule module;
  private final PtxKernel code;
  private final Occupancy occupancy;
  private final KernelSignature signature;
  private final KernelAttributes attributes;
  private final LaunchArguments arguments;
  private volatile int maxDynamicSharedBytes;

  LoadedKernel(SimModule module, PtxKernel code, Occupancy occupancy, int architecture) {
    this.module = module;
    this.code = code;
    this.occupancy = occupancy;
    this.signature =
        new KernelSignature(
            code.name(), code.parameters().stream().map(LoadedKernel::parameter).toList());
    int shared = (code.sharedBytes() + SHARED_UNIT - 1) / SHARED_UNIT * SHARED_UNIT;
    this.attributes =
        new KernelAttributes(
            Math.min(code.maxThreads(), occupancy.limits().threadsPerBlock()),
            shared,
            code.constantBytes(),
            code.localBytes(),
            /* registers= */ 0,
            code.ptxVersion(),
            architecture);
    this.arguments = new LaunchArguments(signature, attributes, occupancy.limits());
    this.maxDynamicSharedBytes = Math.max(0, occupancy.limits().sharedBytesPerBlock() - shared);
  }

  private static KernelParameter parameter(PtxParameter declared) {
    String words = declared.declaration();
    Matcher alignment = ADDRESS_ALIGNMENT.matcher(words);
    String type = words.replaceFirst("\\.align\\s+\\d+\\s*", "").strip().split("\\s+", 2)[0];
    return new KernelParameter(
        words.contains("[") ? type + "[" + declared.bytes() + "]" : type,
        declared.name(),
        declared.offset(),
        declared.bytes(),
        alignment.find() ? Integer.parseInt(alignment.group(1)) : 1);
  }

  /** Checks a launch, and returns its packed arguments. */
  byte[] pack(LaunchConfig config, Object[] given) {
    arguments.requireFits(config, maxDynamicSharedBytes);
    byte[] packed = new byte[signature.getSize()];
    arguments.pack(given, ByteBuffer.wrap(packed).order(ByteOrder.nativeOrder()));
    if (code.requiredBlock().getCount() > 0
        && !code.requiredBlock().equals(KernelLaunch.extent(config.block()))) {
      throw new InvalidArgumentException(
          "cannot launch "
              + code.name()
              + config
              + ": it requires blocks of "
              + code.requiredBlock()
              + " threads");
    }
    return packed;
  }

  @Override
  public String getName() {
    return code.name();
  }

  @Override
  public KernelModule getModule() {
    return module;
  }

  @Override
  public KernelSignature getSignature() {
    return signature;
  }

  @Override
  public KernelAttributes getAttributes() {
    return attributes;
  }

  @Override
  public int getMaxDynamicSharedBytes() {
    return maxDynamicSharedBytes;
  }

  @Override
  public void setMaxDynamicSharedBytes(int bytes) {
    int possible = occupancy.limits().sharedBytesPerBlockOptIn() - attributes.staticSharedBytes();
    if (bytes < 0 || bytes > possible) {
      throw LaunchArguments.tooMuchShared(this, bytes, possible);
    }
    module.requireOpen();
    maxDynamicSharedBytes = bytes;
  }

  @Override
  public int getActiveBlocks(int threadsPerBlock, int dynamicSharedBytes) {
    if (threadsPerBlock < 1 || dynamicSharedBytes < 0) {
      throw new InvalidArgumentException(
          "a block must have 1 or more threads and 0 or more bytes of shared memory, not "
              + threadsPerBlock
              + " and "
              + dynamicSharedBytes);
    }
    module.requireOpen();
    return occupancy.activeBlocks(
        attributes.maxThreadsPerBlock(), threadsPerBlock, shared(dynamicSharedBytes));
  }

  @Override
  public int suggestBlockSize(int dynamicSharedBytes) {
    module.requireOpen();
    return occupancy.suggestThreads(attributes.maxThreadsPerBlock(), shared(dynamicSharedBytes));
  }

  private long shared(int dynamicSharedBytes) {
    return (long) attributes.staticSharedBytes() + dynamicSharedBytes;
  }

  @Override
  public String toString() {
    return "kernel " + code.name() + " of " + module.getDevice();
  }
}
