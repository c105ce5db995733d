package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Dim3;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.KernelAttributes;
import org.vramkit.api.device.KernelLimits;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.ModuleGlobal;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.ModuleLoadException;

/** Tests modules, kernels and launches; {@code kernels/kit.cu} has the source of the kernels. */
interface KernelContract extends KitContext {

  private String ptx() {
    assumeSupported(Capability.KERNELS);
    try (InputStream file = KernelContract.class.getResourceAsStream("kernels/kit.ptx")) {
      return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void withModule(Consumer<KernelModule> action) {
    try (KernelModule module = getDevice().loadModule(ptx())) {
      action.accept(module);
    }
  }

  private static int[] readInts(Stream stream, long address, int count) {
    ByteBuffer target = ByteBuffer.allocate(4 * count).order(ByteOrder.nativeOrder());
    stream.copyToHost(target, address);
    int[] ints = new int[count];
    target.asIntBuffer().get(ints);
    return ints;
  }

  private static ByteBuffer ints(int... values) {
    ByteBuffer buffer = ByteBuffer.allocate(4 * values.length).order(ByteOrder.nativeOrder());
    buffer.asIntBuffer().put(values);
    return buffer;
  }

  @Test
  @DisplayName("each thread of a grid of three dimensions runs once")
  default void positions() {
    withModule(
        module ->
            withMemory(
                4 * 2 * 3 * 2 * 8 * 4 * 3,
                (stream, address) -> {
                  int threads = 2 * 3 * 2 * 8 * 4 * 3;
                  stream.launch(
                      module.getKernel("positions"),
                      LaunchConfig.of(new Dim3(2, 3, 2), new Dim3(8, 4, 3)),
                      address);
                  assertArrayEquals(
                      IntStream.range(0, threads).toArray(), readInts(stream, address, threads));
                }));
  }

  @Test
  @DisplayName("launches of one stream run in order, with copies and fills")
  default void kernelsInOrder() {
    int count = 1000;
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = i;
    }
    ByteBuffer source = ByteBuffer.allocate(4 * count).order(ByteOrder.nativeOrder());
    source.asFloatBuffer().put(values);
    withModule(
        module ->
            withMemory(
                12L * count,
                (stream, x) -> {
                  long y = x + 4L * count;
                  long sum = y + 4L * count;
                  Kernel add = module.getKernel("add");
                  LaunchConfig config = LaunchConfig.covering(count, 256);
                  stream.copyToDevice(x, source);
                  stream.fill(y, (byte) 0, 4L * count);
                  stream.launch(add, config, x, y, sum, count);
                  stream.launch(add, config, sum, x, y, count);
                  stream.launch(add, config, x, y, sum, count);
                  ByteBuffer target = ByteBuffer.allocate(4 * count).order(ByteOrder.nativeOrder());
                  stream.copyToHost(target, sum);
                  for (int i = 0; i < count; i++) {
                    assertEquals(3f * i, target.getFloat(4 * i), "element " + i);
                  }
                }));
  }

  @Test
  @DisplayName("numbers of each size and structs by value arrive in their parameters")
  default void launchArguments() {
    ByteBuffer pair = ByteBuffer.allocate(16).order(ByteOrder.nativeOrder());
    pair.putDouble(0, 8.5).putInt(8, -9);
    withModule(
        module ->
            withMemory(
                72,
                (stream, address) -> {
                  Kernel kernel = module.getKernel("arguments");
                  stream.launch(
                      kernel,
                      LaunchConfig.of(1, 1),
                      (byte) -1,
                      (short) -2,
                      -3,
                      -4L,
                      5.5f,
                      6.5,
                      true,
                      pair,
                      address);
                  ByteBuffer target = ByteBuffer.allocate(72).order(ByteOrder.nativeOrder());
                  stream.copyToHost(target, address);
                  double[] stored = new double[9];
                  target.asDoubleBuffer().get(stored);
                  assertArrayEquals(new double[] {-1, -2, -3, -4, 5.5, 6.5, 1, 8.5, -9}, stored);
                  assertEquals(9, kernel.getSignature().parameters().size());
                  assertEquals(64, kernel.getSignature().getSize());
                }));
  }

  @Test
  @DisplayName("arguments that do not match the parameters are refused before the launch")
  default void wrongArguments() {
    withModule(
        module ->
            withMemory(
                12,
                (stream, address) -> {
                  Kernel add = module.getKernel("add");
                  LaunchConfig one = LaunchConfig.of(1, 1);
                  assertRefused("takes 4 arguments, not 3", stream, add, one, address, address, 1);
                  assertRefused("argument 4", stream, add, one, address, address, address, 1L);
                  assertRefused("argument 4", stream, add, one, address, address, address, 1f);
                  assertRefused("argument 1", stream, add, one, 1, address, address, 1);
                  assertRefused("0L for a null", stream, add, one, address, null, address, 1);
                  assertRefused("String", stream, add, one, address, "x", address, 1);
                  String message =
                      assertThrows(
                              InvalidArgumentException.class,
                              () -> stream.launch(add, one, address, address, address, 1.0))
                          .toString();
                  assertTrue(
                      message.contains(add.getSignature().toString())
                          && message.contains("double 1.0"),
                      message);
                  stream.synchronize();
                }));
    forgetMisuse();
  }

  private static void assertRefused(
      String expected,
      Stream stream,
      Kernel kernel,
      LaunchConfig config,
      @Nullable Object... arguments) {
    String message =
        assertThrows(InvalidArgumentException.class, () -> stream.launch(kernel, config, arguments))
            .toString();
    assertTrue(message.contains(expected), message);
  }

  @Test
  @DisplayName("configurations beyond the limits are refused, with the limit")
  default void launchLimits() {
    withModule(
        module -> {
          KernelLimits limits = getDevice().getKernelLimits();
          Kernel bounded = module.getKernel("bounded");
          try (Stream stream = getDevice().createStream()) {
            assertAll(
                () -> assertEquals(128, bounded.getAttributes().maxThreadsPerBlock()),
                () -> assertRefused("at most 128", stream, bounded, LaunchConfig.of(1, 129)),
                () ->
                    assertRefused(
                        "1024 x 1024 x 64",
                        stream,
                        bounded,
                        LaunchConfig.of(Dim3.of(1), new Dim3(1, 1, 65))),
                () ->
                    assertRefused(
                        "65535", stream, bounded, LaunchConfig.of(Dim3.of(1, 65_536), Dim3.of(1))),
                () ->
                    assertRefused(
                        "setMaxDynamicSharedBytes",
                        stream,
                        bounded,
                        LaunchConfig.of(1, 1)
                            .withDynamicSharedBytes(limits.sharedBytesPerBlock() + 1)),
                () -> assertThrows(InvalidArgumentException.class, () -> Dim3.of(0)),
                () ->
                    assertThrows(
                        InvalidArgumentException.class,
                        () ->
                            bounded.setMaxDynamicSharedBytes(
                                limits.sharedBytesPerBlockOptIn() + 1)));
            stream.launch(bounded, LaunchConfig.of(1, 128));
            stream.synchronize();
          }
        });
    forgetMisuse();
  }

  @Test
  @DisplayName("dynamic shared memory has the size of the launch, above 48 KiB after opting in")
  default void dynamicSharedMemory() {
    withModule(
        module ->
            withMemory(
                4 * 512,
                (stream, address) -> {
                  Kernel reverse = module.getKernel("reverse");
                  LaunchConfig config = LaunchConfig.of(2, 256).withDynamicSharedBytes(1024);
                  stream.copyToDevice(address, ints(IntStream.range(0, 512).toArray()));
                  stream.launch(reverse, config, address);
                  int[] expected =
                      IntStream.range(0, 512).map(i -> i < 256 ? 255 - i : 767 - i).toArray();
                  assertArrayEquals(expected, readInts(stream, address, 512));
                  int most = getDevice().getKernelLimits().sharedBytesPerBlockOptIn();
                  reverse.setMaxDynamicSharedBytes(most);
                  assertEquals(most, reverse.getMaxDynamicSharedBytes());
                  stream.launch(reverse, config.withDynamicSharedBytes(most), address);
                  assertArrayEquals(
                      IntStream.range(0, 512).toArray(), readInts(stream, address, 512));
                }));
  }

  @Test
  @DisplayName("attributes and occupancy follow the kernel's use of shared memory")
  default void occupancy() {
    withModule(
        module -> {
          KernelLimits limits = getDevice().getKernelLimits();
          Kernel sum = module.getKernel("sum");
          KernelAttributes attributes = sum.getAttributes();
          int suggested = sum.suggestBlockSize();
          assertAll(
              () -> assertEquals(1024, attributes.staticSharedBytes()),
              () -> assertEquals(75, attributes.ptxVersion()),
              () -> assertTrue(suggested >= 32 && suggested <= attributes.maxThreadsPerBlock()),
              () -> assertTrue(sum.getActiveBlocks(suggested, 0) >= 1),
              () ->
                  assertEquals(
                      limits.blocksPerMultiprocessor(),
                      module.getKernel("bounded").getActiveBlocks(32, 0)),
              () -> assertEquals(0, sum.getActiveBlocks(1025, 0)),
              () ->
                  assertTrue(
                      sum.getActiveBlocks(32, limits.sharedBytesPerBlock() / 2)
                          < sum.getActiveBlocks(32, 0)));
        });
  }

  @Test
  @DisplayName("a block sums values in static shared memory, with barriers")
  default void staticSharedMemory() {
    withModule(
        module ->
            withMemory(
                4 * 1024 + 16,
                (stream, address) -> {
                  stream.copyToDevice(address, ints(IntStream.range(0, 1024).toArray()));
                  stream.launch(
                      module.getKernel("sum"), LaunchConfig.of(4, 256), address, address + 4096);
                  assertArrayEquals(
                      new int[] {32_640, 98_176, 163_712, 229_248},
                      readInts(stream, address + 4096, 4));
                }));
  }

  @Test
  @DisplayName("global and constant variables are read and written by their addresses")
  default void globals() {
    withModule(
        module ->
            withMemory(
                32,
                (stream, address) -> {
                  ModuleGlobal counter = module.getGlobal("counter");
                  ModuleGlobal factors = module.getGlobal("factors");
                  assertEquals(4, counter.size());
                  assertEquals(16, factors.size());
                  assertArrayEquals(
                      new int[] {3, 5, 7, 11}, readInts(stream, factors.address(), 4));
                  stream.launch(module.getKernel("count"), LaunchConfig.of(2, 4), address);
                  assertArrayEquals(
                      new int[] {0, 5, 14, 33, 12, 25, 42, 77}, readInts(stream, address, 8));
                  assertArrayEquals(new int[] {13}, readInts(stream, counter.address(), 1));
                  stream.copyToDevice(factors.address(), ints(1, 1, 1, 1));
                  stream.copyToDevice(counter.address(), ints(0));
                  stream.launch(module.getKernel("count"), LaunchConfig.of(2, 4), address);
                  assertArrayEquals(IntStream.range(0, 8).toArray(), readInts(stream, address, 8));
                  assertArrayEquals(new int[] {8}, readInts(stream, counter.address(), 1));
                }));
  }

  @Test
  @DisplayName("two modules of one text have variables of their own")
  default void modulesOfOneText() {
    withModule(
        one ->
            withModule(
                other -> {
                  assertTrue(
                      one.getGlobal("counter").address() != other.getGlobal("counter").address());
                  withMemory(
                      16,
                      (stream, address) -> {
                        stream.launch(one.getKernel("count"), LaunchConfig.of(1, 4), address);
                        assertArrayEquals(
                            new int[] {5},
                            readInts(stream, other.getGlobal("counter").address(), 1));
                        stream.synchronize();
                      });
                }));
  }

  @Test
  @DisplayName("page-locked memory is passed to a kernel by its address")
  default void pinnedArguments() {
    assumeSupported(Capability.PINNED_HOST_MEMORY);
    withModule(
        module -> {
          try (Stream stream = getDevice().createStream();
              PinnedBuffer buffer = getDevice().getPinnedMemory().allocate(128)) {
            stream.launch(module.getKernel("positions"), LaunchConfig.of(1, 32), buffer);
            stream.synchronize();
            ByteBuffer view = buffer.getBytes(0, 128);
            for (int i = 0; i < 32; i++) {
              assertEquals(i, view.getInt(4 * i));
            }
          }
        });
  }

  @Test
  @DisplayName("captured launches run with each launch of the graph, with their arguments")
  default void capturedLaunches() {
    assumeSupported(Capability.GRAPHS);
    String ptx = ptx();
    withMemory(
        16,
        (stream, address) -> {
          Graphs graphs = getDevice().getGraphs();
          KernelModule module = getDevice().loadModule(ptx);
          graphs.beginCapture(stream);
          stream.launch(module.getKernel("count"), LaunchConfig.of(1, 4), address);
          try (Graph graph = graphs.endCapture(stream)) {
            long counter = module.getGlobal("counter").address();
            assertArrayEquals(new int[] {5}, readInts(stream, counter, 1));
            // The graph keeps the module loaded.
            module.close();
            for (int launch = 0; launch < 3; launch++) {
              graph.launch(stream);
            }
            assertArrayEquals(new int[] {0, 5, 14, 33}, readInts(stream, address, 4));
          }
        });
  }

  @Test
  @DisplayName("a kernel keeps its identity, and unknown names are errors that list the kernels")
  default void kernelNames() {
    withModule(
        module -> {
          assertEquals(module.getKernel("add"), module.getKernel("add"));
          assertEquals("add", module.getKernel("add").getName());
          assertEquals(module, module.getKernel("add").getModule());
          assertSameDevice(module.getDevice(), "a module");
          String message =
              assertThrows(InvalidArgumentException.class, () -> module.getKernel("ad")).toString();
          assertTrue(message.contains("positions") && message.contains("extern"), message);
          assertThrows(InvalidArgumentException.class, () -> module.getGlobal("nothing"));
        });
    forgetMisuse();
  }

  @Test
  @DisplayName("wrong PTX is refused with the compiler's log, and so is what is not PTX")
  default void wrongText() {
    String ptx = ptx();
    ModuleLoadException syntax =
        assertThrows(
            ModuleLoadException.class,
            () -> getDevice().loadModule(ptx.replaceFirst("mov.u32 ", "mov.u32 ,")));
    ModuleLoadException newer =
        assertThrows(
            ModuleLoadException.class,
            () -> getDevice().loadModule(ptx.replaceFirst("\\.version 7.2", ".version 99.0")));
    ModuleLoadException garbage =
        assertThrows(ModuleLoadException.class, () -> getDevice().loadModule("garbage"));
    assertAll(
        () -> assertEquals(218, syntax.getStatus().code()),
        () -> assertTrue(syntax.getLog().contains("line "), syntax.getLog()),
        () -> assertTrue(syntax.toString().contains(syntax.getLog().strip())),
        () -> assertEquals(222, newer.getStatus().code()),
        () -> assertEquals(200, garbage.getStatus().code()),
        () -> assertTrue(garbage.toString().contains("nvcc -ptx"), garbage.toString()));
    forgetMisuse();
  }

  @Test
  @DisplayName("a closed module cannot be used, and work submitted before the close still runs")
  default void closedModule() {
    KernelModule module = getDevice().loadModule(ptx());
    Kernel positions = module.getKernel("positions");
    withMemory(
        128,
        (stream, address) -> {
          stream.launch(positions, LaunchConfig.of(1, 32), address);
          assertFalse(module.isClosed());
          module.close();
          module.close();
          assertTrue(module.isClosed());
          assertArrayEquals(IntStream.range(0, 32).toArray(), readInts(stream, address, 32));
          assertThrows(
              ClosedException.class,
              () -> stream.launch(positions, LaunchConfig.of(1, 32), address));
          assertThrows(ClosedException.class, () -> module.getKernel("add"));
          assertThrows(ClosedException.class, () -> module.getGlobal("counter"));
        });
    forgetMisuse();
  }

  @Test
  @DisplayName("a kernel is launched on streams of its device")
  default void kernelOnAnotherDevice() {
    withModule(
        module -> {
          try (Stream other = getSecondDevice().createStream()) {
            assertThrows(
                InvalidArgumentException.class,
                () -> other.launch(module.getKernel("bounded"), LaunchConfig.of(1, 1)));
          }
        });
    forgetMisuse();
  }
}
