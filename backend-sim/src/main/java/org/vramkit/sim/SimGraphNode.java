package org.vramkit.sim;

import java.util.List;
import java.util.function.Consumer;

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

  SimGraphNode(int device, List<Consumer<GraphLaunch>> steps) {
    this.device = device;
    this.steps = List.copyOf(steps);
  }
}
