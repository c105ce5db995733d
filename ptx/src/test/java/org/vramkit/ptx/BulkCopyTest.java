package org.vramkit.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.ptx.memory.MemoryPiece;
import org.vramkit.ptx.report.Dim3;
import org.vramkit.ptx.report.Finding;
import org.vramkit.ptx.report.FindingKind;

@DisplayName("A bulk copy")
class BulkCopyTest {
  private static final long BASE = 0x200_0000_0000L;
  private static final String TEXT =
      """
      .version 8.3
      .target sm_90
      .address_size 64
      .visible .entry bulk(.param .u64 from)
      {
        .reg .b64 %d;
        .shared .align 16 .b8 s[64];
        .shared .align 8 .b64 bar;
        ld.param.u64 %d, [from];
        mbarrier.init.shared.b64 [bar], 1;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d], 4294967280, [bar];
        ret;
      }
      """;

  @Test
  @DisplayName("ends where its memory ends, however many bytes it asks for")
  void huge() {
    byte[] bytes = new byte[128];
    LaunchResult result =
        PtxModule.parse("bulk.ptx", TEXT)
            .load(variable -> 0)
            .launch(
                Launch.of("bulk", new Dim3(1, 1, 1), new Dim3(1, 1, 1))
                    .parameters(
                        ByteBuffer.allocate(8)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .putLong(BASE)
                            .array()),
                at ->
                    at >= BASE && at < BASE + bytes.length
                        ? new MemoryPiece(bytes, 0, BASE, bytes.length)
                        : null);
    assertEquals(
        List.of(FindingKind.OUT_OF_BOUNDS), result.findings().stream().map(Finding::kind).toList());
    assertEquals(80, result.footprint().reads().get(0).bytes());
  }
}
