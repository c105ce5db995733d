package org.vramkit.sim;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A piece of work that graphs are made of without a capture, as {@code cuGraphAddKernelNode} and
 * its siblings define it: what {@link SimDevice#defineNode} was given to submit. Graphs may share
 * it.
 */
public final class SimGraphNode {
  /** The device that the work runs on. */
  final int device;

  /** The effects of the work in a launch that has a branch for it alone. */
  final List<Consumer<GraphLaunch>> steps;

  /** True if the device runs the work as a kernel. */
  final boolean isKernel;

  private final Supplier<@Nullable String> refusal;

  SimGraphNode(int device, Capture captured) {
    this.device = device;
    this.steps = List.copyOf(captured.steps);
    this.isKernel = captured.kernels() > 0;
    this.refusal = captured::refusal;
  }

  /** Returns why the driver refuses a graph of it now; null if it does not. */
  @Nullable String refusal() {
    return refusal.get();
  }
}
