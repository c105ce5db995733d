package org.vramkit.sim.examples;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;

/** Faults within the code of a kernel, whose source is faulty.cu. See {@link Examples}. */
public final class KernelExamples {
  private KernelExamples() {}

  /** The PTX of the faulty kernels. */
  public static String faultyPtx() {
    try (InputStream file = KernelExamples.class.getResourceAsStream("faulty.ptx")) {
      return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Gives(HazardCode.KERNEL_RACE)
  static void race(SimDevice gpu, SimStream a, SimStream b) {
    long out = gpu.getMemory().allocate(1024);
    try (KernelModule module = gpu.loadModule(faultyPtx())) {
      a.launch(module.getKernel("mirror"), LaunchConfig.of(1, 256), out);
    }
  }

  @Gives(HazardCode.KERNEL_OUT_OF_BOUNDS)
  static void outOfBounds(SimDevice gpu, SimStream a, SimStream b) {
    long out = gpu.getMemory().allocate(1024);
    try (KernelModule module = gpu.loadModule(faultyPtx())) {
      a.launch(module.getKernel("shift"), LaunchConfig.of(1, 256), out);
    }
  }

  @Gives(HazardCode.KERNEL_MISALIGNED)
  static void misaligned(SimDevice gpu, SimStream a, SimStream b) {
    long out = gpu.getMemory().allocate(1024);
    try (KernelModule module = gpu.loadModule(faultyPtx())) {
      a.launch(module.getKernel("store"), LaunchConfig.of(1, 1), out);
    }
  }

  @Gives(HazardCode.KERNEL_UNINIT_READ)
  static void unwritten(SimDevice gpu, SimStream a, SimStream b) {
    long out = gpu.getMemory().allocate(1024);
    try (KernelModule module = gpu.loadModule(faultyPtx())) {
      a.launch(module.getKernel("half"), LaunchConfig.of(1, 256), out);
    }
  }

  @Gives(HazardCode.KERNEL_BARRIER)
  static void barrier(SimDevice gpu, SimStream a, SimStream b) {
    long out = gpu.getMemory().allocate(1024);
    try (KernelModule module = gpu.loadModule(faultyPtx())) {
      a.launch(module.getKernel("meet"), LaunchConfig.of(1, 64), out);
    }
  }

  @Gives(HazardCode.KERNEL_WARP_MASK)
  static void mask(SimDevice gpu, SimStream a, SimStream b) {
    long out = gpu.getMemory().allocate(1024);
    try (KernelModule module = gpu.loadModule(faultyPtx())) {
      a.launch(module.getKernel("pass"), LaunchConfig.of(1, 32), out);
    }
  }

  @Gives(HazardCode.KERNEL_TRAP)
  static void trap(SimDevice gpu, SimStream a, SimStream b) {
    long out = gpu.getMemory().allocate(1024);
    try (KernelModule module = gpu.loadModule(faultyPtx())) {
      a.launch(module.getKernel("demand"), LaunchConfig.of(1, 32), out, 101);
    }
  }

  @Gives(HazardCode.KERNEL_HANG)
  static void hang(SimDevice gpu, SimStream a, SimStream b) {
    long flag = gpu.getMemory().allocate(4);
    try (KernelModule module = gpu.loadModule(faultyPtx())) {
      Kernel await = module.getKernel("await");
      a.fill(flag, (byte) 0, 4);
      a.launch(await, LaunchConfig.of(1, 1), flag);
    }
  }

  @Gives(HazardCode.KERNEL_WARP_SYNCHRONOUS)
  static void lockstep(SimDevice gpu, SimStream a, SimStream b) {
    long out = gpu.getMemory().allocate(1024);
    try (KernelModule module = gpu.loadModule(faultyPtx())) {
      a.launch(module.getKernel("lockstep"), LaunchConfig.of(1, 32), out);
    }
  }
}
