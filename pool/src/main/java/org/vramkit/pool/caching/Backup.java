package org.vramkit.pool.caching;

/** Decides whether the bytes of a pool outlive a {@linkplain PrivatePool#suspend suspension}. */
public enum Backup {
  /** Copies the bytes of live allocations to page-locked memory of the host, and back. */
  HOST,
  /** Keeps no bytes: after the resume allocations hold anything, as new ones do. */
  NONE
}
