package org.vramkit.api.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Dim3;
import org.vramkit.api.device.KernelAttributes;
import org.vramkit.api.device.KernelLimits;
import org.vramkit.api.device.KernelParameter;
import org.vramkit.api.device.KernelSignature;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.ModuleGlobal;
import org.vramkit.api.error.InvalidArgumentException;

@DisplayName("Arguments of a launch are checked against the kernel's parameters")
class LaunchArgumentsTest {
  private static final KernelLimits LIMITS =
      new KernelLimits(1024, 49_152, 232_448, 233_472, 65_536, 2048, 32);

  private static LaunchArguments of(KernelParameter... parameters) {
    return new LaunchArguments(
        new KernelSignature("k", List.of(parameters)),
        new KernelAttributes(512, 100, 0, 0, 106, 75, 90),
        LIMITS);
  }

  private static ByteBuffer pack(LaunchArguments of, @Nullable Object... arguments) {
    ByteBuffer target = ByteBuffer.allocate(64).order(ByteOrder.nativeOrder());
    of.pack(arguments, target);
    return target;
  }

  private static String refusal(LaunchArguments of, @Nullable Object... arguments) {
    return assertThrows(InvalidArgumentException.class, () -> pack(of, arguments)).toString();
  }

  @Test
  @DisplayName("bits take integers and floats of their size, numbers only their kind")
  void kinds() {
    LaunchArguments bits = of(new KernelParameter(".b32", "x", 4, 4, 1));
    assertEquals(Float.floatToRawIntBits(1.5f), pack(bits, 1.5f).getInt(4));
    assertEquals(7, pack(bits, 7).getInt(4));
    LaunchArguments wide = of(new KernelParameter(".b64", "x", 0, 8, 1));
    assertEquals(2.5, pack(wide, 2.5).getDouble(0));
    assertEquals(9, pack(wide, 9L).getLong(0));
    String asFloat = refusal(of(new KernelParameter(".f32", "scale", 0, 4, 1)), 2);
    assertTrue(asFloat.contains("pass a float") && asFloat.contains(".f32 scale"), asFloat);
    String asInt = refusal(of(new KernelParameter(".u32", "n", 0, 4, 1)), 2f);
    assertTrue(asInt.contains("pass an int"), asInt);
    String asLong = refusal(of(new KernelParameter(".u64", "n", 0, 8, 1)), 2);
    assertTrue(asLong.contains("memory or a long") && asLong.contains("integer 2"), asLong);
  }

  @Test
  @DisplayName("parameters of a binary take any number of their size")
  void binaries() {
    LaunchArguments of = of(new KernelParameter("4 bytes", "", 0, 4, 1));
    assertEquals(1f, pack(of, 1f).getFloat(0));
    assertEquals(1, pack(of, 1).getInt(0));
    assertTrue(refusal(of, 1L).contains("k(4 bytes)"));
  }

  @Test
  @DisplayName("small numbers and structs have their size; a struct keeps its position")
  void structs() {
    LaunchArguments of =
        of(
            new KernelParameter(".u8", "a", 0, 1, 1),
            new KernelParameter(".u16", "b", 2, 2, 1),
            new KernelParameter(".b8[3]", "c", 4, 3, 1));
    ByteBuffer struct = ByteBuffer.wrap(new byte[] {0, 1, 2, 3, 9}).position(1).limit(4);
    ByteBuffer packed = pack(of, true, 'A', struct);
    assertEquals(1, packed.get(0));
    assertEquals('A', packed.getChar(2));
    assertEquals(3, packed.get(6));
    assertEquals(1, struct.position());
    assertTrue(refusal(of, true, 'A', struct.duplicate().limit(3)).contains("struct of 2 bytes"));
    assertTrue(refusal(of, true, 'A', 5).contains("a ByteBuffer of 3 remaining bytes"));
    assertTrue(refusal(of, 1, 'A', struct).contains("a byte or boolean"));
  }

  @Test
  @DisplayName("addresses must have the alignment that the parameter declares")
  void alignment() {
    LaunchArguments of = of(new KernelParameter(".u64", "x", 0, 8, 16));
    assertEquals(4096, pack(of, new ModuleGlobal("x", 4096, 4)).getLong(0));
    assertTrue(refusal(of, 4104L).contains("multiple of 16"));
    assertTrue(refusal(of, new ModuleGlobal("x", 4100, 4)).contains("0x1004"));
    assertTrue(
        refusal(of(new KernelParameter(".f64", "x", 0, 8, 1)), new ModuleGlobal("x", 0, 4))
            .contains("pass a double"));
  }

  @Test
  @DisplayName("null and unknown objects are refused with the signature beside what was given")
  void unknown() {
    LaunchArguments of =
        of(new KernelParameter(".u64", "x", 0, 8, 1), new KernelParameter(".f32", "a", 8, 4, 1));
    assertTrue(refusal(of, null, 1f).contains("pass 0L for a null pointer"));
    String message = refusal(of, 16L, "1");
    assertTrue(
        message.endsWith(
            "\n  kernel  k(.u64 x, .f32 a)\n  given   k(long 0x10, object of java.lang.String)"),
        message);
  }

  @Test
  @DisplayName("configurations are checked against the kernel and the device")
  void configurations() {
    LaunchArguments of = of();
    of.requireFits(LaunchConfig.of(Integer.MAX_VALUE, 512).withDynamicSharedBytes(49_052), 49_052);
    assertRefused(of, LaunchConfig.of(1, 513), "at most 512 threads");
    assertRefused(of, LaunchConfig.of(Dim3.of(1, 65_536), Dim3.of(1)), "65535");
    assertRefused(of, LaunchConfig.of(Dim3.of(1), new Dim3(1, 1, 65)), "64 threads");
    assertRefused(
        of, LaunchConfig.of(1, 1).withDynamicSharedBytes(49_053), "setMaxDynamicSharedBytes");
    assertRefused(of, LaunchConfig.of(1, 1).withDynamicSharedBytes(232_349), "has 232348");
  }

  private static void assertRefused(LaunchArguments of, LaunchConfig config, String expected) {
    String message =
        assertThrows(InvalidArgumentException.class, () -> of.requireFits(config, 49_052))
            .toString();
    assertTrue(message.contains(expected), message);
  }

  @Test
  @DisplayName("a configuration covers its elements with whole blocks")
  void covering() {
    assertEquals(LaunchConfig.of(4, 256), LaunchConfig.covering(1000, 256));
    assertEquals(LaunchConfig.of(1, 256), LaunchConfig.covering(256, 256));
    assertThrows(InvalidArgumentException.class, () -> LaunchConfig.covering(0, 256));
    assertThrows(InvalidArgumentException.class, () -> LaunchConfig.covering(1L << 40, 256));
    assertThrows(InvalidArgumentException.class, () -> LaunchConfig.of(0, 1));
    assertThrows(
        InvalidArgumentException.class, () -> LaunchConfig.of(1, 1).withDynamicSharedBytes(-1));
  }
}
