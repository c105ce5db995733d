package org.vramkit.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.vramkit.ptx.memory.MemoryPiece;
import org.vramkit.ptx.report.Dim3;

@DisplayName("printf in a kernel")
class PrintTest {
  private static final long OUT = 0x200_0000_0000L;
  private static final long FORMAT = 0x201_0000_0000L;
  private static final String TEXT =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
      .global .align 1 .b8 format[%d] = {%s};
      .visible .entry print(.param .u64 out)
      {
        .local .align 8 .b8 values[16];
        .reg .b32 %%r<2>;
        .reg .b64 %%d<4>;
        st.local.s32 [values], -300;
        st.local.s32 [values+4], 5;
        mov.u64 %%d1, values;
        cvta.local.u64 %%d1, %%d1;
        mov.u64 %%d2, format;
        cvta.global.u64 %%d2, %%d2;
        { .param .b64 f; .param .b64 a; .param .b32 r;
        st.param.b64 [f], %%d2;
        st.param.b64 [a], %%d1;
        call.uni (r), vprintf, (f, a);
        ld.param.b32 %%r1, [r]; }
        ld.param.u64 %%d3, [out];
        st.global.u32 [%%d3], %%r1;
        ret;
      }
      """;

  @ParameterizedTest
  @CsvSource({
    "%d %d, -300 5, 2",
    "%hd %d, -300 5, 2",
    "%hx %d, fed4 5, 2",
    "%hhd %d, -44 5, 1",
    "%hhx %d, d4 5, 1",
    "%*d, 5, 2",
    "%o %%, 37777777324 %, 1"
  })
  @DisplayName("prints bytes and halves as such, and counts arguments as an H200 does")
  void prints(String format, String printed, int count) {
    byte[] text = (format + "\0").getBytes(StandardCharsets.US_ASCII);
    String bytes = format.chars().mapToObj(Integer::toString).collect(Collectors.joining(", "));
    byte[] found = new byte[4];
    StringBuilder output = new StringBuilder();
    PtxModule.parse("print.ptx", TEXT.formatted(text.length, bytes))
        .load(variable -> FORMAT)
        .launch(
            Launch.of("print", new Dim3(1, 1, 1), new Dim3(1, 1, 1))
                .parameters(
                    ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(OUT).array())
                .output(output::append),
            at ->
                at >= FORMAT
                    ? new MemoryPiece(text, 0, FORMAT, text.length)
                    : new MemoryPiece(found, 0, OUT, found.length));
    assertEquals(printed, output.toString().strip());
    assertEquals(count, ByteBuffer.wrap(found).order(ByteOrder.LITTLE_ENDIAN).getInt());
  }
}
