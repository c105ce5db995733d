package org.vramkit.testkit;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Workspace;

/** Gives the tests of a workspace one that is made for the running test alone. */
interface WorkspaceContext extends KitContext {

  /** The workspace of the running test, on the first device. */
  Workspace getWorkspace();

  /** The allocator that it has its slabs from. */
  Allocator getAllocator();
}
