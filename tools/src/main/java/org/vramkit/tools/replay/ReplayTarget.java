package org.vramkit.tools.replay;

import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;

/** The device that a trace is replayed on, and what can be seen of it from outside. */
interface ReplayTarget extends AutoCloseable {

  Device getDevice();

  /** The device's clock where it has one of its own; 0 otherwise. */
  long getTimeNanos();

  /** The clock that the replayed program lives by: the device's own, or else the world's. */
  LongSupplier getProgramClock();

  /** Moves the device's clock forward to a time; does nothing when it is past that or has none. */
  void advanceTo(long nanos);

  /** Submits work to a stream that writes the bytes, as the recorded program did. */
  void touch(Stream stream, long address, long bytes);

  /** Counts driver calls from 0 on. */
  void startCounting();

  /** Driver calls since then but for those of {@link #touch}; null if they are not counted. */
  @Nullable DriverFigures getFigures();

  /** The cost of the driver calls so far; null where it is part of the host's own time. */
  @Nullable Long getDriverNanos();

  /** Hazards that the checker found; null where there is no checker. */
  @Nullable Long getHazards();

  /** The first of them on one line, or null. */
  @Nullable String getFirstHazard();

  /** Memory that is still held, one line each; empty if it is unknown. */
  List<String> getLeaks();

  @Override
  void close();
}
