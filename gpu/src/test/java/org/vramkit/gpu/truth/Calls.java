package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;
import static org.vramkit.gpu.truth.Probe.PAGE;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;

/** Calls of the SPI which probes make beside queued work, and while a stream is captured. */
final class Calls {
  /** A call: its preparation returns what makes it. */
  record Call(String name, Function<Probe, Runnable> prepare) {}

  private static final int KIB_4 = 4096;

  private final List<Call> calls = new ArrayList<>();

  private Calls() {}

  /** Returns all calls. Those on streams use a stream of the given kind. */
  static List<Call> all() {
    Calls calls = new Calls();
    calls.plainMemory();
    calls.streams();
    calls.events();
    calls.virtualMemory();
    calls.pools();
    calls.pageLocked();
    calls.graphsAndKernels();
    return calls.calls;
  }

  private void add(String name, Function<Probe, Runnable> prepare) {
    calls.add(new Call(name, prepare));
  }

  private void plainMemory() {
    for (long bytes : new long[] {1, PAGE, 64 * MIB}) {
      add("alloc of " + bytes, p -> () -> p.plain(bytes));
      add(
          "free of " + bytes,
          p -> {
            long address = p.plain(bytes);
            return () -> p.freePlain(address);
          });
    }
    add("refused alloc of 1 PiB", p -> () -> p.device.getMemory().allocate(1L << 50));
    add("alloc of 0", p -> () -> p.device.getMemory().allocate(0));
    add("free of 0", p -> () -> p.device.getMemory().free(0));
    add(
        "free of an interior address",
        p -> {
          long address = p.plain(4 * MIB);
          return () -> p.device.getMemory().free(address + PAGE);
        });
    add("free of an unknown address", p -> () -> p.device.getMemory().free(1L << 40));
    add("memory info", p -> () -> p.device.getMemoryInfo());
    add("wait for the device", p -> () -> p.device.synchronize());
  }

  private void streams() {
    add("creation of a stream", p -> () -> p.stream());
    add("creation of a blocking stream", p -> () -> p.stream(StreamKind.BLOCKING));
    onOther("close of another stream", (p, o) -> o.close());
    onOther("query of another stream", (p, o) -> o.isIdle());
    onOther("wait for another stream", (p, o) -> o.synchronize());
    onOther("fill on another stream", (p, o) -> o.fill(p.lab.work, (byte) 1, KIB_4));
    onOther("copy on another stream", (p, o) -> o.copy(p.lab.work, p.lab.one, 512));
    onOther("empty fill on another stream", (p, o) -> o.fill(p.lab.work, (byte) 1, 0));
    onOther("fill of an unknown address", (p, o) -> o.fill(1L << 40, (byte) 1, KIB_4));
    onOther(
        "copy from a heap buffer on another stream",
        (p, o) -> o.copyToDevice(p.lab.work, ByteBuffer.allocate(KIB_4)));
    onOther(
        "copy from a direct buffer on another stream",
        (p, o) -> o.copyToDevice(p.lab.work, ByteBuffer.allocateDirect(KIB_4)));
    onOther(
        "copy to a heap buffer on another stream",
        (p, o) -> o.copyToHost(ByteBuffer.allocate(KIB_4), p.lab.work));
    onOther(
        "copy of 8 MiB to a direct buffer on another stream",
        (p, o) -> o.copyToHost(ByteBuffer.allocateDirect((int) (8 * MIB)), p.lab.work));
    onOther(
        "copy from page-locked memory on another stream",
        (p, o) -> o.copyToDevice(p.lab.work, p.lab.flags, 0, KIB_4));
    onOther(
        "copy to page-locked memory on another stream",
        (p, o) -> o.copyToHost(p.lab.flags, 0, p.lab.one, 1));
    onDefault("query of the default stream", (p, d) -> d.isIdle());
    onDefault("wait for the default stream", (p, d) -> d.synchronize());
    onDefault("fill on the default stream", (p, d) -> d.fill(p.lab.work, (byte) 1, KIB_4));
    onDefault(
        "copy to a heap buffer on the default stream",
        (p, d) -> d.copyToHost(ByteBuffer.allocate(16), p.lab.work));
    onBlocking("query of a blocking stream", (p, b) -> b.isIdle());
    onBlocking("wait for a blocking stream", (p, b) -> b.synchronize());
    onBlocking("fill on a blocking stream", (p, b) -> b.fill(p.lab.work, (byte) 1, KIB_4));
    onBlocking(
        "fill and wait on a blocking stream",
        (p, b) -> {
          b.fill(p.lab.work, (byte) 1, KIB_4);
          b.synchronize();
        });
  }

  private interface OnStream {
    void make(Probe probe, Stream stream);
  }

  private void onOther(String name, OnStream call) {
    add(
        name,
        p -> {
          Stream other = p.stream();
          return () -> call.make(p, other);
        });
  }

  private void onDefault(String name, OnStream call) {
    add(name, p -> () -> call.make(p, p.device.getDefaultStream()));
  }

  private void onBlocking(String name, OnStream call) {
    add(
        name,
        p -> {
          Stream blocking = p.stream(StreamKind.BLOCKING);
          return () -> call.make(p, blocking);
        });
  }

  private void events() {
    add("creation of an event", p -> () -> p.event());
    withEvent("close of an event", (p, e) -> e.close());
    withEvent("query of an event that has passed", (p, e) -> e.isComplete());
    withEvent("wait for an event that has passed", (p, e) -> e.synchronize());
    withEvent("wait of another stream for it", (p, e) -> p.stream().waitFor(e));
    add(
        "query of an event never recorded",
        p -> {
          Event event = p.event();
          return event::isComplete;
        });
    onOther("record on another stream", (p, o) -> p.event(o));
    onDefault("record on the default stream", (p, d) -> p.event(d));
    onDefault("record on the default stream, and wait", (p, d) -> p.event(d).synchronize());
    onBlocking("record on a blocking stream, and wait", (p, b) -> p.event(b).synchronize());
  }

  private interface OnEvent {
    void make(Probe probe, Event event);
  }

  private void withEvent(String name, OnEvent call) {
    add(
        name,
        p -> {
          Stream other = p.stream();
          Event event = p.event(other);
          other.synchronize();
          return () -> call.make(p, event);
        });
  }

  private void virtualMemory() {
    add("reservation", p -> () -> p.reserve(PAGE));
    add(
        "end of a reservation",
        p -> {
          long address = p.reserve(PAGE);
          return () -> p.unreserve(address, PAGE);
        });
    add("creation of 2 MiB", p -> () -> p.physical(PAGE));
    add(
        "release of 2 MiB",
        p -> {
          long handle = p.physical(PAGE);
          return () -> p.release(handle);
        });
    add(
        "map",
        p -> {
          long address = p.reserve(PAGE);
          long handle = p.physical(PAGE);
          return () -> p.map(address, PAGE, handle);
        });
    add(
        "access",
        p -> {
          long address = p.reserve(PAGE);
          p.map(address, PAGE, p.physical(PAGE));
          return () -> p.access(address, PAGE);
        });
    add(
        "unmap",
        p -> {
          long address = p.mapped(64 * MIB);
          return () -> p.unmap(address, 64 * MIB);
        });
    add("refused creation of 1 PiB", p -> () -> p.device.getVirtualMemory().create(1L << 50));
    add(
        "refused map without a reservation",
        p -> {
          long handle = p.physical(PAGE);
          return () -> p.device.getVirtualMemory().map(1L << 40, PAGE, handle);
        });
    add("granularity", p -> () -> p.device.getVirtualMemory().getGranularity());
  }

  private interface OnPool {
    Runnable prepare(Probe probe, DriverPool pool, Stream other);
  }

  private void withPool(String name, OnPool call) {
    add(name, p -> call.prepare(p, p.pool(), p.stream()));
  }

  private void pools() {
    add("creation of a pool", p -> () -> p.pool());
    withPool("close of a pool", (p, pool, o) -> pool::close);
    withPool("trim of a pool", (p, pool, o) -> () -> pool.trim(0));
    withPool("threshold of a pool", (p, pool, o) -> () -> pool.setReleaseThreshold(PAGE));
    withPool("statistics of a pool", (p, pool, o) -> pool::getStatistics);
    withPool(
        "reuse policy of a pool",
        (p, pool, o) -> () -> pool.setReuse(DriverPoolReuse.OPPORTUNISTIC, false));
    withPool("pool alloc on another stream", (p, pool, o) -> () -> p.pooled(pool, 64 * MIB, o));
    withPool(
        "pool alloc on another stream, from unused memory",
        (p, pool, o) -> {
          pool.setReleaseThreshold(Long.MAX_VALUE);
          p.freePooled(pool, p.pooled(pool, MIB, o), o);
          return () -> p.pooled(pool, MIB, o);
        });
    withPool(
        "pool free on another stream",
        (p, pool, o) -> {
          long address = p.pooled(pool, MIB, o);
          return () -> p.freePooled(pool, address, o);
        });
    withPool(
        "plain free of memory of a pool",
        (p, pool, o) -> {
          long address = p.pooled(pool, MIB, o);
          o.synchronize();
          return () -> p.device.getMemory().free(address);
        });
    withPool(
        "pool alloc on the default stream",
        (p, pool, o) -> () -> p.pooled(pool, MIB, p.device.getDefaultStream()));
    onOther(
        "default pool alloc and free on another stream",
        (p, o) -> {
          long address = p.device.getStreamOrderedMemory().allocate(MIB, o);
          p.device.getStreamOrderedMemory().free(address, o);
        });
    add(
        "stream-ordered free of plain memory on another stream",
        p -> {
          Stream other = p.stream();
          long address = p.plain(4 * MIB);
          return () -> p.device.getStreamOrderedMemory().free(address, other);
        });
    onOther(
        "stream-ordered free of an unknown address",
        (p, o) -> p.device.getStreamOrderedMemory().free(1L << 40, o));
  }

  private void pageLocked() {
    for (long bytes : new long[] {KIB_4, 4 * MIB}) {
      add("page-locked alloc of " + bytes, p -> () -> p.pinned(bytes));
      add(
          "close of page-locked memory of " + bytes,
          p -> {
            PinnedBuffer buffer = p.pinned(bytes);
            return buffer::close;
          });
    }
    add(
        "registration",
        p -> {
          ByteBuffer memory = direct(4 * MIB);
          return () -> p.kept(p.device.getPinnedMemory().register(memory));
        });
    add(
        "close of registered memory",
        p -> {
          PinnedBuffer buffer = p.kept(p.device.getPinnedMemory().register(direct(4 * MIB)));
          return buffer::close;
        });
    add("managed alloc", p -> () -> p.managed(4 * MIB));
    add(
        "close of managed memory",
        p -> {
          PinnedBuffer buffer = p.managed(4 * MIB);
          return buffer::close;
        });
    add(
        "close of managed memory that the device has filled",
        p -> {
          PinnedBuffer buffer = p.managed(4 * MIB);
          Stream other = p.stream();
          other.fill(buffer.getAddress(), (byte) 1, 4 * MIB);
          other.synchronize();
          return buffer::close;
        });
  }

  /** Returns memory whose pages no other buffer shares. */
  static ByteBuffer direct(long bytes) {
    ByteBuffer pages = ByteBuffer.allocateDirect((int) bytes + 2 * KIB_4).alignedSlice(KIB_4);
    return pages.slice(0, (int) bytes);
  }

  private void graphsAndKernels() {
    onOther("is another stream captured", (p, o) -> p.device.getGraphs().isCapturing(o));
    onOther(
        "capture of another stream",
        (p, o) -> p.graph(o, () -> o.fill(p.lab.work, (byte) 1, KIB_4)));
    add(
        "launch of a graph on another stream",
        p -> {
          Stream other = p.stream();
          Graph graph = p.graph(other, () -> other.fill(p.lab.work, (byte) 1, KIB_4));
          return () -> graph.launch(other);
        });
    add(
        "close of a graph",
        p -> {
          Stream other = p.stream();
          Graph graph = p.graph(other, () -> other.fill(p.lab.work, (byte) 1, KIB_4));
          return graph::close;
        });
    add("load of a module", p -> () -> p.module(Ptx.STORE));
    add(
        "close of a module",
        p -> {
          KernelModule module = p.module(Ptx.STORE);
          return module::close;
        });
    add(
        "attributes of a kernel",
        p -> {
          KernelModule module = p.module(Ptx.STORE);
          return () -> module.getKernel("store").getAttributes();
        });
    add(
        "launch of a kernel on another stream",
        p -> {
          Stream other = p.stream();
          Kernel kernel = p.module(Ptx.STORE).getKernel("store");
          return () -> other.launch(kernel, LaunchConfig.of(1, 1), p.lab.work, 7);
        });
  }
}
