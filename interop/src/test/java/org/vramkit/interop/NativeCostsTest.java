package org.vramkit.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Prints the figures of docs/native.md. */
class NativeCostsTest {
  @Test
  @EnabledIfSystemProperty(
      named = "vramkit.costs",
      matches = "print",
      disabledReason = "figures, not a verdict: run with -Dvramkit.costs=print")
  @DisplayName("Pairs and tensors are counted, and none is left behind")
  void print() throws Throwable {
    NativeCosts.main(new String[0]);
    assertEquals(0, Dlpack.getExportedCount());
  }
}
