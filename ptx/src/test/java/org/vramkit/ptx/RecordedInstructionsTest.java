package org.vramkit.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.vramkit.ptx.memory.MemoryPiece;
import org.vramkit.ptx.report.Dim3;

/** Compares single instructions with what an H200 (driver 580.159.04) returned. */
@DisplayName("As recorded on an H200")
class RecordedInstructionsTest {
  private static final long BASE = 0x200_0000_0000L;
  private static final String TEXT =
      """
      .version 8.0
      .target sm_75
      .address_size 64
      .visible .entry one(.param .u64 words)
      {
        .reg .b32 %%d, %%a, %%b, %%c;
        .reg .b64 %%w;
        ld.param.u64 %%w, [words];
        ld.global.u32 %%a, [%%w];
        ld.global.u32 %%b, [%%w+4];
        ld.global.u32 %%c, [%%w+8];
        %s;
        st.global.u32 [%%w+12], %%d;
        ret;
      }
      """;

  /** Runs an instruction, whose operands are %d, %a, %b and %c, and returns %d as hex digits. */
  private static String run(String instruction, String a, String b, String c) {
    ByteBuffer words = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
    for (String each : List.of(a, b, c)) {
      words.putInt(HexFormat.fromHexDigits(each));
    }
    MemoryPiece piece = new MemoryPiece(words.array(), 0, BASE, words.capacity());
    ByteBuffer parameters = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    LaunchResult result =
        PtxModule.parse("one.ptx", TEXT.formatted(instruction))
            .load(variable -> 0)
            .launch(
                Launch.of("one", new Dim3(1, 1, 1), new Dim3(1, 1, 1))
                    .parameters(parameters.putLong(BASE).array()),
                at -> piece);
    assertEquals(List.of(), result.findings());
    return HexFormat.of().toHexDigits(words.getInt(12));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "vset.s32.u32.lt %d, %a.b3, %b.h0 | 00000001 | 00000001",
        "vset4.u32.u32.lt %d, %a, %b, %c | 00010100 | 00000000",
        "vset2.u32.s32.eq %d, %a, %b, %c | 00000000 | 00000000",
        "vset.s32.s32.lt.max %d, %a.b1, %b.h0, %c | 00000000 | 00000001",
        "vadd4.s32.u32.u32.add %d, %a, %b, %c | 8afe101d | de8266f0",
        "vavrg4.s32.s32.s32 %d, %a, %b, %c | c2edeb2b | eced0bc1",
        "vavrg2.u32.s32.u32 %d, %a, %b, %c | c26d6bab | 6ced0bc2",
        "vmad.u32.u32.u32.sat %d, %a.h0, %b.h1, %c | 00000000 | c6715339",
        "vmad.u32.u32.u32.sat.shr7 %d, %a.h0, %b.h1, %c | ffffffff | 018ce2a6",
        "vshl.u32.u32.u32.clamp.min %d, %a.h1, %b.b0, %c | 8afe0d91 | de8261a4",
        "vadd.u32.u32.u32.sat %d, %a, %b | 84dbd756 | d9db1783",
        "vmax.u32.u32.s32.sat %d.h1, %a.h0, %b.h0, %c | 00000d91 | 000061a4",
        "vadd.u32.u32.u32 %d.h1, %a.h0, %b.h0, %c | 00000d91 | 000161a4",
        "vadd.u32.s32.s32.sat %d.h0, %a, %b, %c | 8afeffff | de82ffff",
        "vadd.s32.s32.s32.sat %d.b2, %a, %b.h0, %c | 8a7f0d91 | de7f61a4"
      })
  @DisplayName("video instructions compare, merge, saturate and sum")
  void video(String instruction, String first, String second) {
    assertEquals(first, run(instruction, "80370139", "04a4d61d", "8afe0d91"));
    assertEquals(second, run(instruction, "f1bbffcb", "e81f17b8", "de8261a4"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "div.approx.f32 | 007fffff | 00000001 | 4afffffe",
        "div.approx.f32 | 3f49517d | 001dacc3 | 7f5917ab",
        "div.approx.f32 | 80000000 | 00000001 | 80000000",
        "div.approx.ftz.f32 | 3f7fffff | 7e800000 | 00000000",
        "div.full.ftz.f32 | bfffffff | 7f000000 | 80000000",
        "sin.approx.f32 | 4b000001 | 00000000 | 80000000",
        "sin.approx.f32 | cb000001 | 00000000 | 00000000",
        "cos.approx.f32 | 4ae1577d | 00000000 | 00000000",
        "cos.approx.f32 | ca800001 | 00000000 | 80000000"
      })
  @DisplayName("approximate functions return zeros, and quotients by denormals")
  void approximate(String name, String a, String b, String expected) {
    String operands = name.startsWith("div") ? " %d, %a, %b" : " %d, %a";
    assertEquals(expected, run(name + operands, a, b, "00000000"));
  }
}
