package org.vramkit.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.ptx.memory.MemoryPiece;
import org.vramkit.ptx.report.Dim3;
import org.vramkit.ptx.report.PtxException;
import org.vramkit.ptx.report.PtxStatus;

/** Old, odd and wrong texts, as the driver of CUDA 13.0 answers on an H100. */
@DisplayName("Texts of modules")
class ModuleTextsTest {
  private static final long BASE = 0x200_0000_0000L;
  private static final String TEXT =
      """
      .version 4.3
      .target sm_30
      .address_size 64
      .visible .entry k(.param .u64 p)
      {
      .reg .pred %p<8>;
      .reg .b32 %r<40>;
      .reg .f32 %f<8>;
      .reg .b64 %rd<8>;
      ld.param.u64 %rd1, [p];
      cvta.to.global.u64 %rd1, %rd1;
      mov.u32 %r1, %tid.x;
      mul.wide.u32 %rd2, %r1, 4;
      add.s64 %rd2, %rd1, %rd2;
      mov.u32 %r2, 7;
      st.global.u32 [%rd2], %r2;
      ret;
      }
      """;

  /**
   * A changed text; {@code log} is a part of the refusal's log, or the word that the kernel stores.
   */
  record Case(String what, UnaryOperator<String> change, @Nullable PtxStatus status, String log) {
    @Override
    public String toString() {
      return what;
    }
  }

  private static Case runs(String what, UnaryOperator<String> change, int word) {
    return new Case(what, change, null, String.valueOf(word));
  }

  private static Case refused(String what, UnaryOperator<String> change, String log) {
    return new Case(what, change, PtxStatus.INVALID_PTX, log);
  }

  private static Case head(String version, String target, String log) {
    UnaryOperator<String> change =
        text -> text.replace(".version 4.3", version).replace(".target sm_30", target);
    String what = version + " " + target;
    return log.isEmpty() ? runs(what, change, 7) : refused(what, change, log);
  }

  /** Changes a text for sm_90. */
  private static UnaryOperator<String> hopper(UnaryOperator<String> change) {
    return text ->
        change.apply(text.replace(".version 4.3", ".version 8.3").replace("sm_30", "sm_90"));
  }

  private static UnaryOperator<String> body(String lines) {
    return text -> text.replace("mov.u32 %r2, 7;\n", "mov.u32 %r2, 7;\n" + lines + "\n");
  }

  /** Inserts lines at line 15 of the text. */
  private static UnaryOperator<String> at15(String lines) {
    return text -> text.replace("mov.u32 %r2, 7;\n", lines + "\nmov.u32 %r2, 7;\n");
  }

  private static UnaryOperator<String> at4(String lines) {
    return text -> text.replace(".visible .entry", lines + "\n.visible .entry");
  }

  static Stream<Case> cases() {
    return Stream.of(
        head(".version 4.3", ".target sm_20", ""),
        head(".version 3.0", ".target sm_11", ""),
        head(".version 2.3", ".target sm_20", ""),
        head(".version 9.0", ".target sm_90a", ""),
        head(".version 7.8", ".target sm_90", ""),
        head(
            ".version 1.4",
            ".target sm_20",
            "line 2; error   : PTX .version 1.4 does not support .target sm_20"),
        head(
            ".version 6.0",
            ".target sm_90",
            "line 2; error   : PTX .version 6.0 does not support .target sm_90"),
        head(
            ".version 4.3",
            ".target sm_75",
            "line 2; error   : PTX .version 4.3 does not support .target sm_75"),
        head(
            ".version 9.0",
            ".target sm_100",
            "SM version specified by .target is higher than default SM version assumed"),
        head(".version 9.0", ".target sm_100f", "SM version specified by .target is higher"),
        head(".version 9.0", ".target sm_99", "line 2; fatal   : Unsupported .target 'sm_99'"),
        head(
            ".version 4",
            ".target sm_30",
            "line 1; fatal   : Missing .version directive at start of file"),
        new Case(
            "version 9.9",
            t -> t.replace("4.3", "9.9"),
            PtxStatus.UNSUPPORTED_PTX_VERSION,
            "line 1; fatal   : Unsupported .version 9.9; current version is '9.0'"),
        new Case(
            "version 9.1",
            t -> t.replace("4.3", "9.1"),
            PtxStatus.UNSUPPORTED_PTX_VERSION,
            "Unsupported .version 9.1"),
        new Case(
            "no version",
            t -> t.replace(".version 4.3\n", ""),
            PtxStatus.INVALID_IMAGE,
            "Binary format for key='0', ident='' is not recognized"),
        new Case("empty", t -> "", PtxStatus.INVALID_IMAGE, "Binary format"),
        new Case(
            "byte order mark",
            t -> "\u00ef\u00bb\u00bf" + t,
            PtxStatus.INVALID_IMAGE,
            "Binary format"),
        refused(
            "no target",
            t -> t.replace(".target sm_30\n", ""),
            "line 2; fatal   : Missing .target directive at start of file"),
        refused(
            "second target",
            at4(".target sm_50"),
            "line 4; fatal   : Parsing error near '.target': syntax error"),
        runs(
            "old, without address size and cvta",
            t ->
                t.replace("4.3", "1.4")
                    .replace("sm_30", "sm_13")
                    .replace(".address_size 64\n", "")
                    .replace("cvta.to.global.u64 %rd1, %rd1;\n", ""),
            7),
        refused(
            "garbage behind the end",
            t -> t + "\u0001\u0002 zz\0",
            "line 19; fatal   : Parsing error near '': syntax error"),
        runs("CR LF", t -> t.replace("\n", "\r\n"), 7),
        runs("CR alone", t -> t.replace("\n", "\r"), 7),
        runs("one line", t -> t.replace("\n", " "), 7),
        runs("blank lines first", t -> "\n\n\n\n\n" + t, 7),
        runs("comment first", t -> "// made by hand\n  " + t, 7),
        runs("line of a preprocessor", at4("# 1 \"a.cu\""), 7),
        refused(
            "no ASCII in a comment",
            t -> "// \u00e4\n" + t,
            "Unexpected non-ASCII character encountered on line 1"),
        refused(
            "form feed", at4("\f\u000b"), "line 4; fatal   : Parsing error near '': syntax error"),
        runs("pragma", body(".pragma \"nounroll\";"), 7),
        runs(
            "literals",
            t ->
                t.replace(
                    "mov.u32 %r2, 7;",
                    "mov.u32 %r2, 010; add.u32 %r2, %r2, 0b101; add.u32 %r2, %r2, 0xFU;"),
            28),
        runs("constant expression", t -> t.replace("%r2, 7", "%r2, (3+4)*2-(1<<2)"), 10),
        runs("WARP_SZ", t -> t.replace("%r2, 7", "%r2, WARP_SZ"), 32),
        runs(
            "names",
            at4(
                ".global .u32 $a;\n.global .u32 _b;\n.global .u32 %c;\n.global .u32 x"
                    + "y".repeat(299)
                    + ";"),
            7),
        runs("section", t -> t + ".section .debug_x { .b8 1,2,3 }\n", 7),
        refused(
            "DWARF of old",
            t -> t + "@@DWARF .byte 1\n@@DWARF .byte 2\n",
            "line 19; error   : Deprecated feature: '@@DWARF directive' not supported as of PTX version 2.0"),
        refused(
            "two entries",
            t -> t + ".visible .entry k() { ret; }\n",
            "line 19; error   : Duplicate definition of function 'k'"),
        refused(
            "missing function",
            t -> at15("call foo;").apply(at4(".extern .func foo;").apply(t)),
            "ptxas fatal   : Unresolved extern function 'foo'"),
        runs("unused extern function", at4(".extern .func foo;"), 7),
        refused(
            "4356 bytes of parameters",
            t -> t.replace(".param .u64 p", ".param .u64 p, .param .b8 q[4348]"),
            "Entry function 'k' uses too much parameter space (0x1104 bytes, 0x1100 max)."),
        runs(
            "4352 bytes of parameters",
            t -> t.replace(".param .u64 p", ".param .u64 p, .param .b8 q[4344]"),
            7),
        refused("label", at15("bra NOWHERE;"), "line 15; error   : Unknown symbol 'NOWHERE'"),
        refused(
            "register",
            at15("mov.u32 %r2, %zz;"),
            "line 15; error   : Arguments mismatch for instruction 'mov'\nptxas application ptx input, line 15; error   : Unknown symbol '%zz'"),
        refused(
            "types of two numbers",
            hopper(at15("cvt.rn.satfinite.e5m2x2.s32.f32 %r2, %r2, %r2;")),
            "line 15; error   : Unexpected instruction types specified for 'cvt'"),
        runs(
            "literal of 128 bits",
            hopper(
                body(
                    """
                    .local .align 16 .b8 wide[16];
                    st.local.b128 [wide], 0x104d9ce7;
                    ld.local.u32 %r3, [wide];
                    sub.u32 %r3, %r3, 0x104d9ce0;
                    ld.local.u32 %r2, [wide+8];
                    add.u32 %r2, %r2, %r3;
                    """)),
            7),
        runs(
            "used bytes of no number",
            body(".pragma \"used_bytes_mask 0xall\"; ld.global.u32 %r3, [%rd2];"),
            7),
        refused(
            "jump to nowhere",
            at15("@%p1 bra;"),
            "line 15; error   : Arguments mismatch for instruction 'bra'"),
        refused(
            "barrier object of 32 bits",
            hopper(at15(".shared .b64 bar; mbarrier.init.shared.b32 [bar], 1;")),
            "line 15; error   : Arguments mismatch for instruction 'mbarrier'"),
        refused(
            "barrier object in global memory",
            hopper(at15("mbarrier.init.global.b64 [%rd1], 1;")),
            "line 15; error   : Arguments mismatch for instruction 'mbarrier'"),
        refused(
            "vector of an update without its word",
            hopper(at15("atom.global.add.f32 {%f1,%f2}, [%rd1], {%f1,%f2};")),
            "line 15; error   : Arguments mismatch for instruction 'atom'"),
        refused(
            "vector of integers of an update",
            hopper(at15("atom.global.v2.u32.add {%r3,%r4}, [%rd1], {%r3,%r4};")),
            "line 15; error   : Arguments mismatch for instruction 'atom'"),
        refused(
            "64 bits",
            at15("mov.u32 %r2, %rd1;"),
            "line 15; error   : Arguments mismatch for instruction 'mov'"),
        refused(
            "no type",
            at15("add %r2, %r2, %r3;"),
            "line 15; error   : Unexpected instruction types specified for 'add'"),
        refused(
            "rounded integers",
            at15("add.rn.u32 %r2, %r2, %r3;"),
            "line 15; error   : Illegal rounding modifier for instruction 'add'"),
        refused(
            "label twice", at15("A:\nA:"), "line 16; error   : Duplicate definition of label 'A'"),
        refused(
            "no prototype",
            at15("call (%r3), vprintf, (%rd1, %rd1);"),
            "line 15; error   : Call to 'vprintf' requires call prototype"),
        new Case(
            "synchronizes children",
            t ->
                at15("call (%r3), cudaDeviceSynchronize;")
                    .apply(at4(".extern .func (.reg .b32 r) cudaDeviceSynchronize;").apply(t)),
            PtxStatus.UNSUPPORTED_DEVSIDE_SYNC,
            "Unsupported Function 'cudaDeviceSynchronize' on arch 'sm_90' or higher"),
        refused(
            "alignment",
            at4(".visible .global .align 3 .u32 g;"),
            "line 4; error   : Alignment must be a power of two"),
        refused(
            "prototypes",
            at4(".func a(.param .u32 x);\n.func a(.param .u64 x) { ret; }"),
            "line 5; error   : Inconsistent prototypes of 'a', parameter types differ"),
        refused(
            "variable and function",
            at4(".global .u32 a;\n.func a() { ret; }"),
            "line 5; error   : Inconsistent redefinition of variable 'a'"),
        refused(
            "maxnctapersm",
            t -> t.replace("(.param .u64 p)\n", "(.param .u64 p) .maxntid 128 .maxnctapersm 2\n"),
            "line 4; error   : Deprecated feature: '.maxnctapersm directive' not supported as of PTX version 2.1"),
        refused(
            "ld.nc on sm_30",
            at15("ld.global.nc.u32 %r2, [%rd2];"),
            "line 15; error   : Instruction 'ld.nc' requires .target sm_32 or higher"),
        refused(
            "no rounding",
            t -> at15("mad.f32 %f1, %f2, %f3, %f4;").apply(t.replace("sm_30", "sm_20")),
            "line 15; error   : Rounding modifier required for instruction 'mad'"),
        refused(
            "no approximation",
            t -> at15("sin.f32 %f1, %f2;").apply(t.replace("sm_30", "sm_20").replace("4.3", "2.3")),
            "line 15; error   : .approx modifier required for instruction 'sin'"),
        refused(
            "no instruction",
            at15("frob.u32 %r2, nothing;"),
            "line 15; error   : Not a name of any known instruction: 'frob'\n"
                + "ptxas application ptx input, line 15; error   : Unknown symbol 'nothing'"),
        refused(
            "syntax",
            t -> t.replace("mov.u32 %r2, 7;", "mov.u32 %r2, ;"),
            "line 15; fatal   : Parsing error near ';': syntax error"),
        runs(
            "alias",
            t ->
                at15("call (%r2), b;\nst.global.u32 [%rd2], %r2; ret;")
                    .apply(
                        at4(".func (.reg .u32 x) a() { mov.u32 x, 5; ret; }\n.alias b, a;")
                            .apply(t.replace("4.3", "6.3"))),
            5));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  @DisplayName("are accepted or refused as by the driver, with its log")
  void texts(Case each) {
    String text = each.change.apply(TEXT);
    if (each.status == null) {
      assertEquals(each.log, String.valueOf(run(text)));
      return;
    }
    PtxException refusal =
        assertThrows(PtxException.class, () -> PtxModule.parse("module.ptx", text));
    assertEquals(each.status, refusal.getStatus(), refusal.getLog());
    assertTrue(refusal.getLog().contains(each.log), refusal.getLog());
  }

  private static int run(String text) {
    PtxModule module = PtxModule.parse("module.ptx", text);
    byte[] bytes = new byte[4 * 32];
    byte[] parameters = new byte[module.getKernel("k").getParameterBytes()];
    ByteBuffer.wrap(parameters).order(ByteOrder.LITTLE_ENDIAN).putLong(BASE);
    LaunchResult result =
        module
            .load(variable -> BASE)
            .launch(
                Launch.of("k", new Dim3(1, 1, 1), new Dim3(32, 1, 1)).parameters(parameters),
                address -> new MemoryPiece(bytes, 0, BASE, bytes.length));
    assertEquals(List.of(), result.findings());
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt();
  }

  @Test
  @DisplayName("that are machine code are refused with the way to PTX")
  void machineCode() {
    byte[] fatbin = {0x50, (byte) 0xed, 0x55, (byte) 0xba, 1, 0};
    PtxException refusal =
        assertThrows(PtxException.class, () -> PtxModule.parse("a.fatbin", fatbin));
    assertEquals(PtxStatus.NOT_SIMULATED, refusal.getStatus());
    String message = String.valueOf(refusal.getMessage());
    assertTrue(message.contains("nvcc -ptx"), message);
    byte[] elf = {0x7f, 'E', 'L', 'F', 0, 0, 0, 0};
    assertEquals(
        PtxStatus.INVALID_IMAGE,
        assertThrows(PtxException.class, () -> PtxModule.parse("a.elf", elf)).getStatus());
  }

  @Test
  @DisplayName("with instructions that are not simulated are refused by name and line, per kernel")
  void notSimulated() {
    String text =
        TEXT.replace("4.3", "8.0").replace("sm_30", "sm_90")
            + ".visible .entry m() { .reg .b32 %r<4>; .reg .b64 %d;\n"
            + "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r0,%r1}, {%r0,%r1}, {%r2}, {%r0,%r1};\n"
            + "ret; }\n";
    PtxModule module = PtxModule.parse("gemm.ptx", text);
    assertEquals("k", module.getKernel("k").name());
    PtxException refusal = assertThrows(PtxException.class, () -> module.getKernel("m"));
    assertEquals(PtxStatus.NOT_SIMULATED, refusal.getStatus());
    assertEquals(20, refusal.getLine());
    assertEquals(
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 (gemm.ptx:20) is not simulated",
        refusal.getMessage());
  }
}
