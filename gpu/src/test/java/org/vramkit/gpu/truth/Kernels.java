package org.vramkit.gpu.truth;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.vramkit.api.device.Dim3;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.ModuleGlobal;
import org.vramkit.api.device.Stream;

/** Modules, launches and what they refuse. */
final class Kernels implements Topic {
  private static final LaunchConfig ONE = LaunchConfig.of(1, 1);

  @Override
  public void run(Lab lab) {
    lab.probe("KM", Kernels::modules);
    lab.probe("KL", Kernels::launches);
    lab.probe("KC", Kernels::configurations);
    lab.probe("KG", Kernels::globals);
    lab.probe("KF", Kernels::memory);
    lab.probe("KX", Kernels::closed);
    lab.probe("KA", p -> p.say("limits", p.device.getKernelLimits()));
  }

  private static int word(Stream stream, long address) {
    ByteBuffer found = ByteBuffer.allocate(4).order(ByteOrder.nativeOrder());
    stream.copyToHost(found, address);
    return found.getInt(0);
  }

  private static void modules(Probe p) {
    p.call("text that is no PTX", () -> p.module("hello"));
    p.call("empty text", () -> p.module(""));
    p.call("no bytes", () -> p.kept(p.device.loadModule(new byte[0])));
    p.call("PTX without a target", () -> p.module(".version 6.0\n.address_size 64\n"));
    p.call("PTX of version 99.0", () -> p.module(Ptx.STORE.replace("6.0", "99.0")));
    p.call("PTX for sm_200", () -> p.module(Ptx.STORE.replace("sm_50", "sm_200")));
    p.call("a wrong register", () -> p.module(Ptx.STORE.replace("%w, 1", "%z, 1")));
    p.call("PTX as bytes", () -> bytes(p, Ptx.STORE));
    p.call("with a zero byte at the end", () -> bytes(p, Ptx.STORE + "\0"));
    p.call("without a kernel", () -> p.module(".version 6.0\n.target sm_50\n.address_size 64\n"));
    KernelModule module = p.module(Ptx.STORE);
    p.say("its log is empty", module.getLog().isBlank());
    p.say("signature", module.getKernel("store").getSignature());
    p.say("signature without parameters", module.getKernel("count").getSignature());
    p.call("an unknown kernel", () -> module.getKernel("none"));
    p.call("a variable as a kernel", () -> module.getKernel("counter"));
    p.call("an unknown variable", () -> module.getGlobal("none"));
    p.call("a kernel as a variable", () -> module.getGlobal("store"));
    Kernel store = module.getKernel("store");
    p.say("the same kernel twice", module.getKernel("store") == store);
    var attributes = module.getKernel("store").getAttributes();
    p.say(
        "most threads; shared; constant; local",
        attributes.maxThreadsPerBlock()
            + "; "
            + attributes.staticSharedBytes()
            + "; "
            + attributes.constantBytes()
            + "; "
            + attributes.localBytes());
    p.say("PTX; binary version", attributes.ptxVersion() + "; " + attributes.binaryVersion());
  }

  private static void bytes(Probe p, String text) {
    p.kept(p.device.loadModule(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static void launches(Probe p) {
    Stream stream = p.stream();
    long memory = p.plain(4096);
    Kernel store = p.module(Ptx.STORE).getKernel("store");
    stream.launch(store, ONE, memory, 77);
    p.say("stored word", word(stream, memory));
    p.call("no arguments", () -> stream.launch(store, ONE));
    p.call("one argument", () -> stream.launch(store, ONE, memory));
    p.call("three arguments", () -> stream.launch(store, ONE, memory, 1, 2));
    p.call("a long as a word", () -> stream.launch(store, ONE, memory, 1L));
    p.call("an int as an address", () -> stream.launch(store, ONE, 1, 1));
    p.call("a float as a word", () -> stream.launch(store, ONE, memory, 1.5f));
    p.say("stored float", word(stream, memory));
    p.call("a short as a word", () -> stream.launch(store, ONE, memory, (short) 1));
    p.call("text as a word", () -> stream.launch(store, ONE, memory, "1"));
    p.call(
        "a buffer of 4 as a word", () -> stream.launch(store, ONE, memory, ByteBuffer.allocate(4)));
    p.call(
        "a buffer of 5 as a word", () -> stream.launch(store, ONE, memory, ByteBuffer.allocate(5)));
    p.call("page-locked memory", () -> stream.launch(store, ONE, p.lab.flags, 0));
    p.call("on the default stream", () -> main(p).launch(store, ONE, memory, 5));
    p.call("wait", p.device::synchronize);
    p.say("word", word(stream, memory));
    Busy busy = p.busy(stream);
    stream.launch(store, ONE, memory, 9);
    p.say("a launch behind work", busy.state());
    p.say("word", word(stream, memory));
  }

  private static Stream main(Probe p) {
    return p.device.getDefaultStream();
  }

  private static void configurations(Probe p) {
    Stream stream = p.stream();
    Kernel count = p.module(Ptx.STORE).getKernel("count");
    for (int threads : new int[] {0, 1, 1024, 1025}) {
      p.call("a block of " + threads, () -> stream.launch(count, LaunchConfig.of(1, threads)));
    }
    for (int blocks : new int[] {-1, 0, 65536}) {
      p.call("a grid of " + blocks, () -> stream.launch(count, LaunchConfig.of(blocks, 1)));
    }
    p.call("grid 1 x 65536", () -> launch(stream, count, new Dim3(1, 65536, 1), Dim3.of(1)));
    p.call("block 1 x 1 x 65", () -> launch(stream, count, Dim3.of(1), new Dim3(1, 1, 65)));
    p.call("block 32 x 33", () -> launch(stream, count, Dim3.of(1), new Dim3(32, 33, 1)));
    for (int bytes : new int[] {-1, 0, 48 << 10, (48 << 10) + 1, 227 << 10, (227 << 10) + 1}) {
      p.call(
          "shared memory of " + bytes,
          () -> stream.launch(count, ONE.withDynamicSharedBytes(bytes)));
      p.call("most shared memory of " + bytes, () -> count.setMaxDynamicSharedBytes(bytes));
      p.say("is", count.getMaxDynamicSharedBytes());
    }
    p.call("wait", stream::synchronize);
    for (int threads : new int[] {32, 256, 1024}) {
      p.say("active blocks of " + threads, count.getActiveBlocks(threads, 0));
      p.say("with 64 KiB of shared memory", count.getActiveBlocks(threads, 65536));
    }
    p.call("active blocks of 0", () -> count.getActiveBlocks(0, 0));
    p.call("active blocks of 1025", () -> count.getActiveBlocks(1025, 0));
    p.say("suggested block", count.suggestBlockSize());
  }

  private static void launch(Stream stream, Kernel kernel, Dim3 grid, Dim3 block) {
    stream.launch(kernel, LaunchConfig.of(grid, block));
  }

  private static void globals(Probe p) {
    Stream stream = p.stream();
    KernelModule module = p.module(Ptx.STORE);
    ModuleGlobal counter = module.getGlobal("counter");
    p.say("size", counter.size());
    p.say("initial word", word(stream, counter.address()));
    for (int i = 0; i < 3; i++) {
      stream.launch(module.getKernel("count"), ONE);
    }
    p.say("counted thrice", word(stream, counter.address()));
    KernelModule second = p.module(Ptx.STORE);
    ModuleGlobal other = second.getGlobal("counter");
    p.say("another module has its own", word(stream, other.address()));
    stream.fill(counter.address(), (byte) 0, 4);
    p.say("filled", word(stream, counter.address()));
    p.call("fill behind it", () -> stream.fill(counter.address(), (byte) 0, 1 << 22));
    p.call("free of it", () -> p.device.getMemory().free(counter.address()));
    p.call("wait", stream::synchronize);
  }

  private static void memory(Probe p) {
    long before = p.free();
    KernelModule module = p.module(Ptx.STORE);
    p.say("free memory after a module", p.free() - before);
    Stream stream = p.stream();
    stream.launch(module.getKernel("count"), ONE);
    stream.synchronize();
    p.say("after its launch", p.free() - before);
    Busy busy = p.busy(stream);
    stream.launch(module.getKernel("count"), ONE);
    module.close();
    p.say("close of a module whose kernel is queued", busy.state());
    stream.synchronize();
    p.say("free memory after its close", p.free() - before);
  }

  private static void closed(Probe p) {
    Stream stream = p.stream();
    KernelModule module = p.module(Ptx.STORE);
    Kernel count = module.getKernel("count");
    module.close();
    module.close();
    p.say("closed", module.isClosed());
    p.call("launch", () -> stream.launch(count, ONE));
    p.call("attributes", count::getAttributes);
    p.call("signature", count::getSignature);
    p.call("name", count::getName);
    p.call("kernel", () -> module.getKernel("count"));
    p.call("variable", () -> module.getGlobal("counter"));
    p.call("active blocks", () -> count.getActiveBlocks(32, 0));
    stream.close();
    p.call("launch on a closed stream", () -> stream.launch(count, ONE));
  }
}
