package org.vramkit.api.device;

/** The three ways in which the driver's pool reuses memory that another stream has freed. */
public enum DriverPoolReuse {
  /** When events already order the new stream after the free. */
  FOLLOW_EVENT_DEPENDENCIES,
  /** When the free happens to be done already. */
  OPPORTUNISTIC,
  /** By making the new stream wait for the free. */
  INTERNAL_DEPENDENCIES
}
