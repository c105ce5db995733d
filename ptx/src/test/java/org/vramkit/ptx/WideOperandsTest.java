package org.vramkit.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.ptx.memory.MemoryPiece;
import org.vramkit.ptx.report.Dim3;

@DisplayName("Registers that are wider than the type of an instruction")
class WideOperandsTest {
  private static final long BASE = 0x200_0000_0000L;
  private static final int LANES = 32;
  private static final String TEXT =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry narrow(.param .u64 out)
      {
        .reg .b32 %r<2>;
        .reg .b64 %rd<6>;
        ld.param.u64 %rd1, [out];
        mov.u32 %r1, %tid.x;
        mul.wide.u32 %rd2, %r1, 8;
        add.s64 %rd2, %rd1, %rd2;
        cvt.u64.u32 %rd3, %r1;
        sub.s64 %rd3, %rd3, -0x500000000;
        cvt.s64.s32 %rd4, %rd3;
        st.global.u64 [%rd2], %rd4;
        ret;
      }
      """;

  @Test
  @DisplayName("are converted from the bits of that type, in full warps as in others")
  void converts() {
    for (int threads : new int[] {LANES, LANES - 1}) {
      byte[] bytes = new byte[LANES * Long.BYTES];
      Launch launch =
          Launch.of("narrow", new Dim3(1, 1, 1), new Dim3(threads, 1, 1))
              .parameters(
                  ByteBuffer.allocate(Long.BYTES)
                      .order(ByteOrder.LITTLE_ENDIAN)
                      .putLong(BASE)
                      .array());
      PtxModule.parse("narrow.ptx", TEXT)
          .load(variable -> 0)
          .launch(launch, at -> new MemoryPiece(bytes, 0, BASE, bytes.length));
      ByteBuffer found = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      for (int i = 0; i < threads; i++) {
        assertEquals(i, found.getLong(i * Long.BYTES), "thread " + i + " of " + threads);
      }
    }
  }
}
