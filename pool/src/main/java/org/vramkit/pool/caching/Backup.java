package org.vramkit.pool.caching;

/** Decides whether the contents of a pool survive a {@linkplain PrivatePool#suspend suspension}. */
public enum Backup {
  /** Keeps the contents of live allocations in page-locked host memory, and copies them back. */
  HOST,
  /** Keeps no contents. After the resume the contents of allocations are undefined. */
  NONE
}
