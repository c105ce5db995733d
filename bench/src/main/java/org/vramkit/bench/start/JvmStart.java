package org.vramkit.bench.start;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;

/**
 * Prints the milliseconds since the JVM was started, without Vramkit. The time is a baseline for
 * {@link FirstAllocation}.
 */
public final class JvmStart {
  private JvmStart() {}

  /**
   * Prints the time.
   *
   * @param args the nanoseconds since 1970 at which the JVM was started; then {@code log} to log a
   *     line first, as programs on the simulator do
   */
  public static void main(String[] args) {
    if (args.length > 1 && args[1].equals("log")) {
      System.getLogger(JvmStart.class.getName()).log(Level.INFO, "the first line of a log");
    }
    Duration taken =
        Duration.between(Instant.ofEpochSecond(0, Long.parseLong(args[0])), Instant.now());
    System.out.println(taken.toNanos() / 1_000_000.0);
  }
}
