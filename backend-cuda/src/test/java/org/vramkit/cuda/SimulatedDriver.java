package org.vramkit.cuda;

import java.util.List;
import org.vramkit.api.device.Capability;
import org.vramkit.cuda.driver.ContextCalls;
import org.vramkit.cuda.driver.CopyCalls;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.DeviceCalls;
import org.vramkit.cuda.driver.EventCalls;
import org.vramkit.cuda.driver.GraphCalls;
import org.vramkit.cuda.driver.KernelCalls;
import org.vramkit.cuda.driver.MemoryCalls;
import org.vramkit.cuda.driver.PoolAttributeCalls;
import org.vramkit.cuda.driver.PoolCalls;
import org.vramkit.cuda.driver.StreamCalls;
import org.vramkit.cuda.driver.VirtualMemoryCalls;
import org.vramkit.sim.SimBackend;

/**
 * A CUDA driver on the simulator, so that code for a real driver runs under the checker. It adds
 * the current context of each thread and the number of users of each context, which the simulator
 * lacks. It records uses of destroyed handles, which a real driver may not refuse.
 */
public final class SimulatedDriver implements CudaDriver {
  final SimBackend sim;

  /** Number of users of each device's primary context. Guarded by itself. */
  final int[] retained;

  /** The creation flags of each event. Guarded by itself. */
  final List<Integer> eventFlags;

  /** Uses of destroyed handles, which a real driver may not refuse. */
  final List<String> crimes;

  private final SimulatedProcess process;
  private final SimulatedDevices devices;
  private final SimulatedContexts contexts;
  private final SimulatedStreams streams;
  private final SimulatedEvents events;
  private final SimulatedMemory memory;
  private final SimulatedCopies copies;
  private final SimulatedPools pools;
  private final KernelCalls kernels;

  // The groups that a driver may lack.
  private GraphCalls graphs;

  private PoolAttributeCalls poolAttributes;
  private VirtualMemoryCalls virtualMemory;

  public SimulatedDriver(SimBackend sim) {
    this.sim = sim;
    this.process = new SimulatedProcess(sim);
    this.crimes = process.crimes;
    this.devices = new SimulatedDevices(process);
    this.contexts = new SimulatedContexts(process);
    this.streams = new SimulatedStreams(process);
    this.events = new SimulatedEvents(process);
    this.memory = new SimulatedMemory(process);
    this.copies = new SimulatedCopies(process);
    this.pools = new SimulatedPools(process);
    this.graphs = new SimulatedGraphs(process);
    this.kernels =
        sim.getDevice(0).supports(Capability.KERNELS)
            ? new SimulatedKernels(process)
            : KernelCalls.ABSENT;
    this.poolAttributes = new SimulatedPoolAttributes(process);
    this.virtualMemory = new SimulatedVirtualMemory(process);
    this.retained = contexts.retained;
    this.eventFlags = events.flagsOfAll;
  }

  SimulatedDriver version(int value) {
    devices.version(value);
    return this;
  }

  SimulatedDriver withoutVirtualMemory() {
    virtualMemory = VirtualMemoryCalls.ABSENT;
    return this;
  }

  SimulatedDriver withoutGraphs() {
    graphs = GraphCalls.ABSENT;
    return this;
  }

  SimulatedDriver withoutPoolAttributes() {
    poolAttributes = PoolAttributeCalls.ABSENT;
    return this;
  }

  /** Returns the ordinal of the context that is current on this thread; -1 for none. */
  public int currentOrdinal() {
    return process.currentOrdinal();
  }

  @Override
  public String getBinding() {
    return "simulated driver";
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
  public GraphCalls graphs() {
    return graphs;
  }

  @Override
  public KernelCalls kernels() {
    return kernels;
  }

  @Override
  public PoolCalls pools() {
    return pools;
  }

  @Override
  public PoolAttributeCalls poolAttributes() {
    return poolAttributes;
  }

  @Override
  public VirtualMemoryCalls virtualMemory() {
    return virtualMemory;
  }
}
