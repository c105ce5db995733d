package org.vramkit.ptx.kernels;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.ptx.kernels.ArithmeticExpected.Element;
import org.vramkit.ptx.kernels.KernelCase.Outcome;

@DisplayName("Kernels of the suite")
class KernelsTest {
  static List<KernelCase> cases() {
    return KernelCase.all();
  }

  @Test
  @DisplayName("are more than 90")
  void many() {
    assertTrue(cases().size() > 90, "only " + cases().size());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  @DisplayName("optimised or for a debugger, do what plain Java does, without a finding")
  void levels(KernelCase each) {
    int[] expected = expected(each);
    for (String level : List.of("O3", "O0")) {
      Outcome outcome = each.run(level, true, 0);
      assertEquals(List.of(), outcome.result().findings());
      assertTrue(outcome.result().completed());
      assertTrue(KernelCase.isInArrays(outcome.result().footprint()), "accesses elsewhere");
      assertArrayEquals(expected, outcome.words(), level);
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  @DisplayName("do the same unchecked, again, and in other orders of blocks and warps")
  void orders(KernelCase each) {
    int[] expected = expected(each);
    assertArrayEquals(expected, each.run("O3", false, 0).words());
    for (long seed = 1; seed < 4; seed++) {
      assertArrayEquals(expected, each.run("O3", true, seed).words(), "seed " + seed);
    }
  }

  private static int[] expected(KernelCase each) {
    int[] in = each.input();
    int[] out = new int[each.out()];
    Element element = ArithmeticExpected.ELEMENTS.get(each.kernel());
    if (element == null) {
      var wholes = each.file().equals("newer") ? NewerExpected.WHOLES : BlockExpected.WHOLES;
      wholes.get(each.kernel()).of(in, out, each.n());
      return out;
    }
    for (int i = 0; i < each.n(); i++) {
      out[i] = element.of(in[i], in[(i + 1) % each.n()], i);
    }
    return out;
  }
}
