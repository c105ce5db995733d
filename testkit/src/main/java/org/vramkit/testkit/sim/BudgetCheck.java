package org.vramkit.testkit.sim;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.JUnitException;
import org.junit.platform.commons.support.AnnotationSupport;
import org.vramkit.api.owner.ProgramCode;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.Leak;
import org.vramkit.sim.hazard.MemoryPeak;

/** Compares the memory of a simulator with the {@link MemoryBudget} of its test. */
final class BudgetCheck {
  private static final int OWNERS = 10;

  private final String text;
  private final long bytes;

  private BudgetCheck(String text, long bytes) {
    this.text = text;
    this.bytes = bytes;
  }

  /**
   * Reads the annotation of a test; empty if it has none.
   *
   * @throws JUnitException if the budget is not a size
   */
  static Optional<BudgetCheck> of(ExtensionContext context) {
    return AnnotationSupport.findAnnotation(context.getTestMethod(), MemoryBudget.class)
        .map(MemoryBudget::value)
        .map(value -> new BudgetCheck(value, parse(value)));
  }

  private static long parse(String text) {
    try {
      return ByteSize.parse(text);
    } catch (IllegalArgumentException e) {
      throw new JUnitException("@MemoryBudget(\"" + text + "\"): " + e.getMessage(), e);
    }
  }

  /** Returns the error of a test that opened no simulator, whose budget would check nothing. */
  MemoryBudgetError ofUnused() {
    return new MemoryBudgetError(
        "@MemoryBudget(\""
            + text
            + "\") checks nothing, because the test opened no simulated GPU; take a SimDevice as"
            + " a parameter, or call Backends.open()");
  }

  /** Returns the error of the first device that exceeds the budget; null if none does. */
  @Nullable MemoryBudgetError check(SimBackend backend, Supplier<String> appendix) {
    for (int device = 0; device < backend.getDevices().size(); device++) {
      MemoryPeak peak = backend.getDevice(device).getMemoryPeak();
      if (peak.requestedBytes() > bytes || peak.reservedBytes() > bytes) {
        return new MemoryBudgetError(
            String.format(
                "@MemoryBudget(\"%s\") is exceeded on device %d: requested peak %s, reserved peak"
                    + " %s%n%s%s",
                text,
                device,
                ByteSize.formatExact(peak.requestedBytes()),
                ByteSize.formatExact(peak.reservedBytes()),
                owners(peak.blocks()),
                appendix.get()));
      }
    }
    return null;
  }

  /** Memory of one owner. */
  private record Share(String owner, long bytes, int blocks) {
    Share plus(Share other) {
      return new Share(owner, bytes + other.bytes, blocks + other.blocks);
    }
  }

  private static String owners(List<Leak> blocks) {
    if (blocks.isEmpty()) {
      return String.format("no allocator had blocks; the memory came from the driver directly%n");
    }
    Map<String, Share> shares = new LinkedHashMap<>();
    for (Leak block : blocks) {
      Share share = new Share(ownerOf(block), block.bytes(), 1);
      shares.merge(share.owner(), share, Share::plus);
    }
    List<Share> sorted = new ArrayList<>(shares.values());
    sorted.sort(Comparator.comparingLong(Share::bytes).reversed());
    StringBuilder lines =
        new StringBuilder(String.format("owners at the requested peak, the largest first:%n"));
    sorted.stream().limit(OWNERS).forEach(share -> line(lines, share));
    if (sorted.size() > OWNERS) {
      String others = Count.of(sorted.size() - OWNERS, "other owner");
      line(lines, sorted.stream().skip(OWNERS).reduce(new Share(others, 0, 0), Share::plus));
    }
    return lines.toString();
  }

  private static void line(StringBuilder lines, Share share) {
    lines.append(
        String.format(
            "  %s in %s  %s%n",
            ByteSize.format(share.bytes()), Count.of(share.blocks(), "block"), share.owner()));
  }

  private static String ownerOf(Leak block) {
    String tag = block.name().isEmpty() ? "" : "tag " + block.name() + ", ";
    return tag
        + (block.stack().isEmpty()
            ? "no stack was recorded; see @SimulatedGpu(stacks, maxStacks)"
            : block
                .getOwner()
                .map(frame -> "at " + frame)
                .orElseGet(() -> ProgramCode.NO_OWNER + "; first " + block.getUserFrames().get(0)));
  }
}
