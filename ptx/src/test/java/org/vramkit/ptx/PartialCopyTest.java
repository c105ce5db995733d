package org.vramkit.ptx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.ptx.memory.MemoryPiece;
import org.vramkit.ptx.report.Dim3;
import org.vramkit.ptx.report.FindingKind;

@DisplayName("An asynchronous copy that reads a part of its bytes")
class PartialCopyTest {
  private static final long BASE = 0x200_0000_0000L;
  private static final String TEXT =
      """
      .version 7.0
      .target sm_80
      .address_size 64
      .visible .entry part(.param .u64 from, .param .u64 to, .param .u32 count)
      {
        .reg .b32 %r<3>;
        .reg .b64 %d<5>;
        .shared .align 16 .b8 s[16];
        ld.param.u64 %d1, [from];
        ld.param.u64 %d2, [to];
        ld.param.u32 %r1, [count];
        mov.u32 %r2, s;
        cp.async.ca.shared.global [%r2], [%d1], 16, %r1;
        cp.async.wait_all;
        ld.shared.u64 %d3, [s];
        ld.shared.u64 %d4, [s+8];
        st.global.u64 [%d2], %d3;
        st.global.u64 [%d2+8], %d4;
        ret;
      }
      """;

  private static LaunchResult copy(byte[] bytes, long from, int count) {
    return PtxModule.parse("part.ptx", TEXT)
        .load(variable -> 0)
        .launch(
            Launch.of("part", new Dim3(1, 1, 1), new Dim3(1, 1, 1))
                .parameters(
                    ByteBuffer.allocate(20)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(from)
                        .putLong(BASE)
                        .putInt(count)
                        .array()),
            at ->
                at >= BASE && at < BASE + bytes.length
                    ? new MemoryPiece(bytes, 0, BASE, bytes.length)
                    : null);
  }

  @Test
  @DisplayName("needs no memory behind that part, and writes zeros for the rest")
  void atTheEnd() {
    byte[] bytes = new byte[22];
    Arrays.fill(bytes, (byte) 7);
    LaunchResult result = copy(bytes, BASE + 16, 6);
    assertEquals(List.of(), result.findings());
    assertEquals(6, result.footprint().reads().get(0).bytes());
    byte[] expected = new byte[22];
    Arrays.fill(expected, 0, 6, (byte) 7);
    Arrays.fill(expected, 16, 22, (byte) 7);
    assertArrayEquals(expected, bytes);
  }

  @Test
  @DisplayName("fails one byte further, and at addresses that are no multiple of all bytes")
  void beyond() {
    assertEquals(
        FindingKind.OUT_OF_BOUNDS, copy(new byte[22], BASE + 16, 7).findings().get(0).kind());
    assertEquals(FindingKind.MISALIGNED, copy(new byte[64], BASE + 8, 4).findings().get(0).kind());
  }
}
