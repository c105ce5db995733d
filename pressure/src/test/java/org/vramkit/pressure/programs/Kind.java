package org.vramkit.pressure.programs;

/** Where memory comes from. */
enum Kind {
  CACHING,
  ALIGNED,
  PRIVATE_POOL,
  SPILLING,
  BUFFERS,
  WORKSPACES,
  STREAM_ORDERED,
  DRIVER_POOL,
  MANAGED
}
