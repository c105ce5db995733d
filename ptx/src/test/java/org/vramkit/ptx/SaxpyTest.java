package org.vramkit.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.ptx.memory.Memory;
import org.vramkit.ptx.memory.MemoryPiece;
import org.vramkit.ptx.report.AccessedRange;
import org.vramkit.ptx.report.Dim3;
import org.vramkit.ptx.report.FindingKind;

class SaxpyTest {
  private static final long BASE = 0x200_0000_0000L;
  private static final String TEXT =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y)
      {
        .reg .pred %p<2>;
        .reg .f32 %f<5>;
        .reg .b32 %r<6>;
        .reg .b64 %rd<8>;
        ld.param.u32 %r2, [n];
        ld.param.f32 %f1, [a];
        ld.param.u64 %rd1, [x];
        ld.param.u64 %rd2, [y];
        mov.u32 %r3, %ctaid.x;
        mov.u32 %r4, %ntid.x;
        mov.u32 %r5, %tid.x;
        mad.lo.s32 %r1, %r3, %r4, %r5;
        setp.ge.s32 %p1, %r1, %r2;
        @%p1 bra DONE;
        cvta.to.global.u64 %rd3, %rd2;
        cvta.to.global.u64 %rd4, %rd1;
        mul.wide.s32 %rd5, %r1, 4;
        add.s64 %rd6, %rd4, %rd5;
        ld.global.f32 %f2, [%rd6];
        add.s64 %rd7, %rd3, %rd5;
        ld.global.f32 %f3, [%rd7];
        fma.rn.f32 %f4, %f2, %f1, %f3;
        st.global.f32 [%rd7], %f4;
      DONE:
        ret;
      }
      """;

  private static LaunchResult run(byte[] bytes, int n, long y) {
    PtxModule module = PtxModule.parse("saxpy.ptx", TEXT);
    Memory memory =
        at ->
            at >= BASE && at < BASE + bytes.length
                ? new MemoryPiece(bytes, 0, BASE, bytes.length)
                : null;
    byte[] parameters =
        ByteBuffer.allocate(24)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(n)
            .putFloat(2)
            .putLong(BASE)
            .putLong(y)
            .array();
    return module
        .load(variable -> 0)
        .launch(
            Launch.of("saxpy", new Dim3(4, 1, 1), new Dim3(64, 1, 1)).parameters(parameters),
            memory);
  }

  @Test
  @DisplayName("adds, touches exactly its elements, and leaves one range for each array")
  void adds() {
    int n = 250;
    byte[] bytes = new byte[2 * 4 * n];
    ByteBuffer values = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < n; i++) {
      values.putFloat(4 * i, i);
      values.putFloat(4 * (n + i), 1);
    }
    LaunchResult result = run(bytes, n, BASE + 4L * n);
    assertTrue(result.completed());
    assertEquals(List.of(), result.findings());
    for (int i = 0; i < n; i++) {
      assertEquals(2 * i + 1, values.getFloat(4 * (n + i)), "element " + i);
    }
    List<AccessedRange> reads = result.footprint().reads();
    assertEquals(1, reads.size(), reads.toString());
    assertEquals(BASE, reads.get(0).address());
    assertEquals(2L * 4 * n, reads.get(0).bytes());
    List<AccessedRange> writes = result.footprint().writes();
    assertEquals(1, writes.size(), writes.toString());
    assertEquals(BASE + 4L * n, writes.get(0).address());
    assertEquals(4L * n, writes.get(0).bytes());
    assertEquals(28, writes.get(0).line().ptxLine());
  }

  @Test
  @DisplayName("reports an access behind the end, with thread and line")
  void outside() {
    LaunchResult result = run(new byte[1000], 251, BASE);
    assertEquals(3, result.findings().size(), result.findings().toString());
    assertEquals(FindingKind.OUT_OF_BOUNDS, result.findings().get(0).kind());
  }
}
