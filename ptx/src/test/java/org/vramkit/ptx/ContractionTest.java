package org.vramkit.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.vramkit.ptx.memory.MemoryPiece;
import org.vramkit.ptx.report.Dim3;

@DisplayName("A product that is added")
class ContractionTest {
  private static final long OUT = 0x200_0000_0000L;
  private static final String TEXT =
      """
      .version 7.0
      .target sm_80
      .address_size 64
      .visible .entry sum(.param .u64 out)
      {
        .reg .pred %%p;
        .reg .f32 %%f<12>;
        .reg .b64 %%d;
        ld.param.u64 %%d, [out];
        mov.f32 %%f0, 0f3F800800; // a = 1 + 2^-12
        mov.f32 %%f1, 0fBF801000; // c = -(1 + 2^-11)
        mov.f32 %%f2, 0f3F800800;
        mov.f32 %%f3, 0f3F800000;
        setp.eq.f32 %%p, %%f3, %%f3;
        %s
        st.global.f32 [%%d], %%f9;
        ret;
      }
      """;

  private static float run(String body) {
    byte[] bytes = new byte[8];
    LaunchResult result =
        PtxModule.parse("sum.ptx", TEXT.formatted(body))
            .load(variable -> 0)
            .launch(
                Launch.of("sum", new Dim3(1, 1, 1), new Dim3(1, 1, 1))
                    .parameters(
                        ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(OUT).array()),
                at ->
                    at >= OUT && at < OUT + bytes.length
                        ? new MemoryPiece(bytes, 0, OUT, bytes.length)
                        : null);
    assertEquals(List.of(), result.findings());
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getFloat();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mul.f32 %f8, %f0, %f2; add.f32 %f9, %f8, %f1;",
        "mul.f32 %f8, %f0, %f2; add.f32 %f9, %f1, %f8;",
        "mul.f32 %f8, %f0, %f2; neg.f32 %f7, %f8; sub.f32 %f9, %f1, %f7;",
        "mul.f32 %f8, %f0, %f2; mov.f32 %f7, %f8; add.f32 %f9, %f7, %f1;",
        "mul.f32 %f8, %f0, %f2; bra.uni L; L: add.f32 %f9, %f8, %f1;",
        "mul.f32 %f8, %f0, %f2; add.f32 %f9, %f8, %f1; sub.f32 %f7, %f3, %f8; st.global.f32 [%d+4], %f7;",
        "mul.f32 %f8, %f0, %f2; mov.f32 %f0, %f3; add.f32 %f9, %f8, %f1;",
        "mul.f32 %f8, %f0, %f2; mul.f32 %f7, %f1, %f3; add.f32 %f9, %f8, %f7;",
        "mul.ftz.f32 %f8, %f0, %f2; add.ftz.f32 %f9, %f8, %f1;",
        "mul.f32 %f8, %f0, %f2; add.sat.f32 %f9, %f8, %f1;",
        "mov.f32 %f10, %f0; L: mul.f32 %f8, %f4, %f2; mov.f32 %f4, %f10; add.f32 %f9, %f8, %f1; mov.f32 %f10, %f3; setp.neu.f32 %p, %f7, %f3; mov.f32 %f7, %f3; @%p bra L;"
      })
  @DisplayName("is not rounded, as on a GPU, if all its uses are sums")
  void exact(String body) {
    assertEquals(0x1p-24f, run(body), body);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mul.rn.f32 %f8, %f0, %f2; add.f32 %f9, %f8, %f1;",
        "mul.f32 %f8, %f0, %f2; add.rn.f32 %f9, %f8, %f1;",
        "mul.f32 %f8, %f0, %f2; add.f32 %f9, %f8, %f1; st.global.f32 [%d+4], %f8;",
        "mul.f32 %f8, %f0, %f2; abs.f32 %f7, %f8; add.f32 %f9, %f7, %f1;",
        "mul.ftz.f32 %f8, %f0, %f2; add.f32 %f9, %f8, %f1;",
        "@%p mul.f32 %f8, %f0, %f2; add.f32 %f9, %f8, %f1;",
        "mul.f32 %f8, %f0, %f2; mov.f32 %f9, %f3; @!%p bra L; add.f32 %f9, %f8, %f1; L:",
        "mul.f32 %f8, %f0, %f2; mul.f32 %f7, %f3, %f1; add.f32 %f9, %f7, %f8; st.global.f32 [%d+4], %f8;"
      })
  @DisplayName("is rounded otherwise")
  void rounded(String body) {
    assertEquals(0f, run(body), body);
  }

  @Test
  @DisplayName("is found in little time, even if thousands of others have its register")
  void many() {
    String sum = "mul.f32 %f8, %f0, %f2; add.f32 %f9, %f8, %f1;\n";
    assertEquals(0x1p-24f, run(sum.repeat(16_000) + "mov.f32 %f8, %f3;"));
  }
}
