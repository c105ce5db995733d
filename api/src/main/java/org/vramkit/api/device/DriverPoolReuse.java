package org.vramkit.api.device;

/** The policies by which a driver pool reuses memory that another stream has freed. */
public enum DriverPoolReuse {
  /** Reuse if events already order the allocating stream after the free. */
  FOLLOW_EVENT_DEPENDENCIES,
  /** Reuse if the free has already completed. */
  OPPORTUNISTIC,
  /** Reuse by making the allocating stream wait for the free. */
  INTERNAL_DEPENDENCIES
}
