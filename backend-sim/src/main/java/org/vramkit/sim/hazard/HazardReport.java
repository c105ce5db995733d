package org.vramkit.sim.hazard;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One hazard, judged by the order that the API's rules guarantee, not by what happened to go well.
 *
 * @param code what kind
 * @param seed the backend's seed: the same program with it gives the same report
 * @param device ordinal of the device whose memory is concerned; -1 if none can be told
 * @param memory which allocation, in words: its kind, size, address and owner
 * @param address first byte in conflict
 * @param bytes how many bytes are in conflict
 * @param earlier the access that came first, if two are involved
 * @param later the access at which the hazard was found
 * @param missing what is missing, in words
 * @param remedy the cheapest fix, in words
 */
public record HazardReport(
    HazardCode code,
    long seed,
    int device,
    String memory,
    long address,
    long bytes,
    @Nullable Access earlier,
    Access later,
    String missing,
    String remedy) {

  /** The report on one screen. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(512);
    text.append(
        String.format(
            Locale.ROOT,
            "%s: %s (device %d, seed %d, operation %d)%n",
            code,
            code.getMeaning(),
            device,
            seed,
            later.index()));
    line(text, "memory", memory);
    line(text, "bytes", String.format(Locale.ROOT, "[0x%x, +%d)", address, bytes));
    if (earlier != null) {
      line(text, "earlier", earlier.toString());
      stack(text, earlier.stack());
    }
    line(text, "later", later.toString());
    stack(text, later.stack());
    line(text, "missing", missing);
    line(text, "remedy", remedy);
    return text.toString();
  }

  private static void line(StringBuilder text, String name, String value) {
    text.append(String.format(Locale.ROOT, "  %-8s %s%n", name, value));
  }

  private static void stack(StringBuilder text, List<StackTraceElement> stack) {
    stack.stream().limit(6).forEach(frame -> line(text, "", "at " + frame));
  }
}
