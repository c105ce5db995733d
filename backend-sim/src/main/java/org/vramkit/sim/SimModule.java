package org.vramkit.sim;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.ModuleGlobal;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.ModuleLoadException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.api.spi.LaunchArguments;
import org.vramkit.ptx.LoadedModule;
import org.vramkit.ptx.PtxKernel;
import org.vramkit.ptx.PtxModule;
import org.vramkit.ptx.PtxVariable;
import org.vramkit.ptx.report.PtxException;
import org.vramkit.ptx.report.PtxStatus;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.memory.AddressSpace.Region;
import org.vramkit.sim.memory.AddressSpace.RegionKind;
import org.vramkit.sim.memory.BlockSpace;
import org.vramkit.sim.memory.PhysicalMemory;
import org.vramkit.sim.memory.RangeAddresses;

/**
 * A module of PTX. Each variable is an allocation of its own, so that accesses beyond its end are
 * found. Guarded by the backend's lock.
 */
final class SimModule implements KernelModule {
  private final DeviceCore core;
  private final Occupancy occupancy;
  private final Consumer<Runnable> whenNoGraphIsOpen;
  private final Engine engine;
  private final long handle;
  private final PtxModule text;
  final LoadedModule code;
  private final Map<String, Region> variables = new LinkedHashMap<>();
  private final Map<String, LoadedKernel> kernels = new LinkedHashMap<>();
  private boolean captured;
  private volatile boolean closed;

  private SimModule(
      DeviceCore core, Occupancy occupancy, Consumer<Runnable> whenNoGraphIsOpen, PtxModule text) {
    this.core = core;
    this.occupancy = occupancy;
    this.whenNoGraphIsOpen = whenNoGraphIsOpen;
    this.engine = core.engine;
    this.text = text;
    this.handle = core.newHandle();
    text.getVariables().forEach(each -> variables.put(each.name(), allocate(each)));
    this.code = text.load(each -> Objects.requireNonNull(variables.get(each.name())).start());
    variables.forEach(this::initialize);
    engine.openHandles.add(LeakKind.MODULE, core.ordinal, handle, 0);
    engine.openHandles.watch(LeakKind.MODULE, handle, this);
  }

  /**
   * Loads a module. The caller holds the lock.
   *
   * @param whenNoGraphIsOpen runs an action once the device has no capture and no open graph
   */
  static SimModule load(
      DeviceCore core, Occupancy occupancy, Consumer<Runnable> whenNoGraphIsOpen, byte[] image) {
    Objects.requireNonNull(image, "image");
    DriverFunction function = DriverFunction.MODULE_LOAD_DATA;
    core.engine.call(function, core.ordinal, image.length);
    PtxModule text;
    try {
      text = PtxModule.parse("module.ptx", image);
    } catch (PtxException e) {
      if (e.getStatus() == PtxStatus.NOT_SIMULATED) {
        throw new NotSupportedException(String.valueOf(e.getMessage()));
      }
      String log = e.getLog().isEmpty() ? String.valueOf(e.getMessage()) : e.getLog();
      throw new ModuleLoadException(
          new DriverStatus(
              e.getStatus().getCode(), "CUDA_ERROR_" + e.getStatus(), function.getFunctionName()),
          log);
    }
    core.streams.finishAll(function, core.waitsCount());
    return new SimModule(core, occupancy, whenNoGraphIsOpen, text);
  }

  private Region allocate(PtxVariable variable) {
    // Blocks of whole pages begin at pages.
    boolean aligned = variable.alignment() <= BlockSpace.SLOT;
    long bytes = aligned ? variable.bytes() : Math.max(variable.bytes(), RangeAddresses.PAGE);
    long address = core.blocks.allocate(bytes);
    if (address < 0) {
      variables.values().forEach(this::release);
      throw engine.outOfMemory(DriverFunction.MODULE_LOAD_DATA, variable.bytes());
    }
    PhysicalMemory memory = SimDeviceMemory.physical(core, bytes, address);
    Region region =
        Region.backed(RegionKind.VARIABLE, core.ordinal, address, variable.bytes(), memory);
    engine.space.add(region);
    engine.checker.memory.variable(variable.name(), core.ordinal, address, variable.bytes());
    return region;
  }

  private void initialize(String name, Region region) {
    PhysicalMemory memory = Objects.requireNonNull(region.physical());
    byte[] initial = code.getInitialBytes(name);
    if (memory.content != null && initial != null) {
      memory.content.write(0, initial, 0, initial.length);
    } else if (memory.content != null) {
      memory.content.fill(0, (byte) 0, region.bytes());
    }
  }

  void requireOpen() {
    if (closed) {
      throw new ClosedException(
          this, "its kernels and variables are gone", "close it after their last use");
    }
  }

  @Override
  public Device getDevice() {
    return core.device;
  }

  @Override
  public String getLog() {
    return String.join("\n", text.getWarnings());
  }

  @Override
  public Kernel getKernel(String name) {
    Objects.requireNonNull(name, "name");
    return engine.recording.unrecorded(
        () -> {
          requireOpen();
          engine.call(DriverFunction.MODULE_GET_FUNCTION, core.ordinal, 0);
          LoadedKernel known = kernels.get(name);
          if (known == null) {
            known = kernel(name);
            kernels.put(name, known);
          }
          return known;
        });
  }

  private LoadedKernel kernel(String name) {
    try {
      PtxKernel found = text.getKernel(name);
      int architecture =
          core.device.getProperties().computeMajor() * 10
              + core.device.getProperties().computeMinor();
      return new LoadedKernel(this, found, occupancy, architecture);
    } catch (PtxException e) {
      if (e.getStatus() == PtxStatus.NOT_FOUND) {
        List<String> names = text.getKernels().stream().map(PtxKernel::name).toList();
        throw LaunchArguments.unknownKernel(name, names);
      }
      throw new NotSupportedException(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public ModuleGlobal getGlobal(String name) {
    Objects.requireNonNull(name, "name");
    return engine.recording.unrecorded(
        () -> {
          requireOpen();
          engine.call(DriverFunction.MODULE_GET_GLOBAL, core.ordinal, 0);
          Region found = variables.get(name);
          if (found == null) {
            throw noVariable(name);
          }
          return new ModuleGlobal(name, found.start(), found.bytes());
        });
  }

  private InvalidArgumentException noVariable(String name) {
    DriverFunction function = DriverFunction.MODULE_GET_GLOBAL;
    String message =
        "the module has no global or constant variable \""
            + name
            + "\""
            + (variables.isEmpty() ? "" : "; it has " + String.join(", ", variables.keySet()));
    boolean kernel = text.getKernels().stream().anyMatch(each -> each.name().equals(name));
    return kernel
        ? engine.invalid(function, message)
        : new InvalidArgumentException(
            message, new DriverStatus(500, "CUDA_ERROR_NOT_FOUND", function.getFunctionName()));
  }

  /** Tells that a kernel of the module was captured, so that the driver keeps the module. */
  void captured() {
    captured = true;
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  /**
   * Unloads the module. If its kernels were captured, its variables stay until no graph is open.
   */
  @Override
  public void close() {
    engine.recording.performUnrecorded(
        () -> {
          if (closed) {
            return;
          }
          closed = true;
          DriverFunction function = DriverFunction.MODULE_UNLOAD;
          if (isDeviceLeft()) {
            engine.requireSafe(function);
          }
          engine.releaseHandle(LeakKind.MODULE, core.ordinal, handle, function, 0);
          if (captured) {
            whenNoGraphIsOpen.accept(this::end);
          } else {
            end();
          }
        });
  }

  /** Frees the variables once the device has no work left, for which the driver waits. */
  private void end() {
    if (isDeviceLeft()) {
      core.streams.finishAll(DriverFunction.MODULE_UNLOAD, core.waitsCount());
    }
    variables.values().forEach(this::release);
    variables.clear();
  }

  private boolean isDeviceLeft() {
    return !engine.isClosed() && !engine.isLost(core.ordinal);
  }

  private void release(Region region) {
    engine.checker.memory.variableGone(region.start(), region.bytes());
    engine.space.remove(region.start());
    core.blocks.free(region.start());
  }

  @Override
  public String toString() {
    return "module 0x" + Long.toHexString(handle) + " of " + core.device;
  }
}
