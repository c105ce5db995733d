package org.vramkit.testkit;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Workspace;

/** Provides the workspace of the running test. */
interface WorkspaceContext extends KitContext {

  /** Returns the workspace of the running test, on the first device. */
  Workspace getWorkspace();

  /** Returns the allocator of the workspace's slabs. */
  Allocator getAllocator();
}
