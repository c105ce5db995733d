package org.vramkit.ptx.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.ptx.kernels.KernelCase.Outcome;

@DisplayName("Kernels of the suite")
class KernelsTest {
  static List<KernelCase> cases() {
    return KernelCase.all();
  }

  @Test
  @DisplayName("are many")
  void many() {
    assertTrue(cases().size() > 90, "only " + cases().size());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  @DisplayName("compiled for a debugger do what they do optimised, without a finding")
  void levels(KernelCase each) {
    Outcome optimised = each.run("O3", true, 0);
    assertTrue(optimised.result().completed(), optimised.result().findings().toString());
    assertEquals(List.of(), optimised.result().findings());
    Outcome plain = each.run("O0", true, 0);
    assertTrue(plain.result().completed(), plain.result().findings().toString());
    assertEquals(List.of(), plain.result().findings());
    assertArrayEquals(plain.words(), optimised.words());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  @DisplayName("do the same unchecked, and again")
  void unchecked(KernelCase each) {
    int[] first = each.run("O3", true, 0).words();
    assertArrayEquals(first, each.run("O3", false, 0).words());
    assertArrayEquals(first, each.run("O3", false, 0).words());
  }
}
