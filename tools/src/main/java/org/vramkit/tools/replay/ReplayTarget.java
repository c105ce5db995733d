package org.vramkit.tools.replay;

import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;

/** A device for a replay, with its clock and its measurements. */
interface ReplayTarget extends AutoCloseable {

  Device getDevice();

  /** Returns the simulated time in nanoseconds; 0 on a real device. */
  long getTimeNanos();

  /** Returns the clock of the replayed program: simulated time or {@link System#nanoTime}. */
  LongSupplier getProgramClock();

  /** Advances simulated time to {@code nanos} if that is later; does nothing on a real device. */
  void advanceTo(long nanos);

  /** Submits work to {@code stream} that writes the block, as the recorded program would. */
  void touch(Stream stream, long address, long bytes);

  /** Resets and starts the counts of driver calls. */
  void startCounting();

  /** Returns counted driver calls except those of {@link #touch}; null if not counted. */
  @Nullable DriverFigures getFigures();

  /** Returns the modelled time of all counted driver calls; null on a real device. */
  @Nullable Long getDriverNanos();

  /** Returns the number of hazards; null without a checker. */
  @Nullable Long getHazards();

  /** Returns the first hazard on one line, or null. */
  @Nullable String getFirstHazard();

  /** Returns a line per leak; empty on a real device. */
  List<String> getLeaks();

  @Override
  void close();
}
