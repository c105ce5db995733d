package org.vramkit.guice;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Workspace;

/** Creates the workspace of a device; bind another factory for other settings. */
@FunctionalInterface
public interface WorkspaceFactory {

  /** Creates a workspace. Called once per device, on first use. */
  Workspace create(Allocator allocator);
}
