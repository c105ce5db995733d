package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.KernelParameter;
import org.vramkit.api.device.KernelSignature;

@DisplayName("Signatures of kernels are read from PTX")
class PtxEntriesTest {
  private static final String HEADER = ".version 7.2\n.target sm_75\n.address_size 64\n";

  private static Map<String, KernelSignature> read(String text) {
    return PtxEntries.of(text.getBytes(StandardCharsets.UTF_8));
  }

  private static List<KernelParameter> parametersOf(String list) {
    String text = HEADER + ".visible .entry k(" + list + ") { ret; }";
    return Objects.requireNonNull(read(text).get("k")).parameters();
  }

  @Test
  @DisplayName("parameters have the offsets and sizes that the driver reports")
  void offsets() {
    // truth: cuFuncGetParamInfo of .u8, .f64, .u32, .align 4 .b8[12] is 0:1 8:8 16:4 20:12.
    List<KernelParameter> found =
        parametersOf(".param .u8 a,\n\t.param .f64 b, .param .u32 c,\n.param .align 4 .b8 d[12]\n");
    assertEquals(List.of(0, 8, 16, 20), found.stream().map(KernelParameter::offset).toList());
    assertEquals(List.of(1, 8, 4, 12), found.stream().map(KernelParameter::size).toList());
    assertEquals("k(.u8 a, .f64 b, .u32 c, .b8[12] d)", new KernelSignature("k", found).toString());
  }

  @Test
  @DisplayName("an alignment behind .ptr is that of the address")
  void pointers() {
    List<KernelParameter> found =
        parametersOf(
            ".param .u64 .ptr .global .align 16 a, .param .align 16 .b8 b[4], .param .u64 .ptr c");
    assertEquals(List.of(16, 1, 1), found.stream().map(KernelParameter::addressAlignment).toList());
    assertEquals(List.of(0, 16, 24), found.stream().map(KernelParameter::offset).toList());
  }

  @Test
  @DisplayName("comments, declarations and kernels without parameters are understood")
  void forms() {
    Map<String, KernelSignature> found =
        read(
            "// .entry no(.param .u32 x)\n"
                + HEADER
                + "/* .entry no2()\n */ .entry _Z1fPf\n{ ret; }\n.visible .entry $b ()\n"
                + ".maxntid 128, 1, 1 { ret; }\n.weak .entry c(.param .texref t,\n"
                + "  .param .b32 n // the number\n) { ret; }");
    assertEquals(Set.of("_Z1fPf", "$b", "c"), found.keySet());
    assertEquals("c(.texref t, .b32 n)", String.valueOf(found.get("c")));
    assertEquals(12, Objects.requireNonNull(found.get("c")).getSize());
  }

  @Test
  @DisplayName("what is not understood or no PTX has no signatures")
  void others() {
    assertEquals(Map.of(), read(HEADER + ".entry k(.param .q32 x) { ret; }"));
    assertEquals(Map.of(), read("\u007fELF .entry k()"));
    assertEquals(Map.of(), read(""));
  }
}
