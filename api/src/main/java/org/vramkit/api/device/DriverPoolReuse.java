package org.vramkit.api.device;

/** The policies by which a driver pool reuses memory that another stream has freed. */
public enum DriverPoolReuse {
  /** Reuses memory if events already order the allocating stream after the free. */
  FOLLOW_EVENT_DEPENDENCIES,
  /** Reuses memory if the free has already completed. */
  OPPORTUNISTIC,
  /** Reuses memory by making the allocating stream wait for the free. */
  INTERNAL_DEPENDENCIES
}
