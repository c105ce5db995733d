package org.vramkit.guice;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Workspace;

/** Makes the workspace of a device; bind another one for other settings. */
@FunctionalInterface
public interface WorkspaceFactory {

  /** Called once for each device whose workspace is used. */
  Workspace create(Allocator allocator);
}
