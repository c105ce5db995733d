package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;
import static org.vramkit.gpu.truth.Probe.PAGE;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.VirtualMemory;

/**
 * Ways that may lose the context of a device, and what all calls then say. Each needs a process of
 * its own, because it may lose CUDA for its process.
 */
final class LostContext {
  /** The number of ways. */
  static final int WAYS = 27;

  private static final LaunchConfig ONE = LaunchConfig.of(1, 1);

  private final Consumer<String> lines;
  private final int way;
  private final Device device;
  private final Device other;
  private final Stream stream;
  private final Stream busy;
  private final Kernel store;
  private int said;

  private LostContext(Backend backend, int way, Consumer<String> lines) {
    this.lines = lines;
    this.way = way;
    List<Device> devices = backend.getDevices();
    this.device = devices.get(0);
    this.other = devices.get(devices.size() - 1);
    this.stream = device.createStream();
    this.busy = device.createStream();
    this.store = device.loadModule(Ptx.STORE).getKernel("store");
  }

  /** Does something that may lose the context of the first device of a backend. */
  static void run(Backend backend, int way, Consumer<String> lines) {
    new LostContext(backend, way, lines).run();
  }

  private void run() {
    Map<String, Runnable> after = after();
    Map<String, Runnable> ways = ways();
    if (ways.size() != WAYS) {
      throw new IllegalStateException(ways.size() + " ways");
    }
    String name = List.copyOf(ways.keySet()).get(way);
    say(name, Probe.outcome(ways.get(name)));
    after.forEach((what, call) -> say(name + ", then: " + what, Probe.outcome(call)));
  }

  private void say(String question, String observed) {
    lines.accept("L" + way + "." + said++ + " | " + question + " | " + observed);
  }

  private Map<String, Runnable> ways() {
    Map<String, Runnable> ways = new LinkedHashMap<>();
    ways.put("a kernel that writes to address 16", () -> write(16));
    ways.put("a kernel that writes to freed plain memory", () -> write(freed()));
    ways.put("a kernel that writes behind its block, in the same 2 MiB", this::writeBehind);
    ways.put("a kernel that writes to reserved addresses", () -> write(reserved()));
    ways.put("a kernel that writes to a mapping without access", () -> write(closed(device)));
    ways.put("a kernel that writes to the other's memory", () -> write(plain(other)));
    ways.put("a kernel that writes to the other's mapping", () -> write(closed(other)));
    ways.put("a kernel that writes to freed memory of a pool", this::writePooled);
    ways.put("a kernel that writes to an unaligned address", () -> write(plain(device) + 1));
    ways.put("a graph that fills freed memory", this::fillFreed);
    ways.put("a graph that fills unmapped memory", this::fillUnmapped);
    ways.put("a captured copy to the other, without access", () -> copyCaptured(false, false));
    ways.put("a captured copy to the other, with access", () -> copyCaptured(true, false));
    ways.put("a captured copy whose access ends", () -> copyCaptured(true, true));
    ways.put("a kernel on the other's memory whose access ends behind it", this::endBehind);
    ways.put("a fill across a mapping with access and one without", this::fillAcross);
    ways.put("a copy across a mapping with access and one without", this::copyAcross);
    ways.put("a kernel that writes to the other's pool", () -> write(pooled(false, false)));
    ways.put("a kernel that writes to a pool whose grant ended", () -> write(pooled(true, true)));
    ways.put("a kernel that writes to memory whose access ended", () -> write(endedPeers()));
    ways.put("a kernel that writes to a mapping for the other", () -> write(open(device, other)));
    ways.put("a kernel that writes to the other's own mapping", () -> write(open(other, other)));
    ways.put("a graph that fills a pool whose grant ends", this::fillEndedPool);
    ways.put("a graph that copies from a mapping whose access ends", this::copyEndedMapping);
    ways.put("a kernel on a pool whose grant ends behind it", this::endPoolBehind);
    ways.put("a kernel on a mapping whose access ends behind it", this::endMappingBehind);
    ways.put("a graph whose kernel of the other writes to address 16", this::writeJoined);
    return ways;
  }

  private DriverPool granted() {
    DriverPool pool = other.getDriverPools().create(0);
    pool.setAccess(device, true);
    return pool;
  }

  private static long pooled(DriverPool pool) {
    Stream stream = pool.getDevice().createStream();
    long address = pool.allocate(PAGE, stream);
    stream.synchronize();
    return address;
  }

  private long pooled(boolean granted, boolean ended) {
    DriverPool pool = granted ? granted() : other.getDriverPools().create(0);
    long address = pooled(pool);
    if (ended) {
      pool.setAccess(device, false);
    }
    return address;
  }

  private long endedPeers() {
    long address = plain(other);
    device.getPeerAccess().enable(other);
    stream.fill(address, (byte) 1, 16);
    stream.synchronize();
    device.getPeerAccess().disable(other);
    return address;
  }

  /** Returns the address of a mapping that only one device may use. */
  private static long open(Device owner, Device user) {
    long address = closed(owner);
    owner.getVirtualMemory().setAccess(address, PAGE, user);
    return address;
  }

  private void fillEndedPool() {
    DriverPool pool = granted();
    long address = pooled(pool);
    Graph graph = graph(() -> stream.fill(address, (byte) 1, PAGE));
    say("end of the grant", Probe.outcome(() -> pool.setAccess(device, false)));
    launch(graph);
  }

  private void copyEndedMapping() {
    long address = open(other, device);
    long target = plain(device);
    Graph graph = graph(() -> stream.copy(target, address, MIB));
    VirtualMemory memory = device.getVirtualMemory();
    say("end of the access", Probe.outcome(() -> memory.removeAccess(address, PAGE, device)));
    launch(graph);
  }

  private void endPoolBehind() {
    DriverPool pool = granted();
    long address = pooled(pool);
    writeBehind(address, () -> pool.setAccess(device, false));
  }

  private void endMappingBehind() {
    long address = open(other, device);
    writeBehind(address, () -> device.getVirtualMemory().removeAccess(address, PAGE, device));
  }

  /** Writes behind other work, during which an access ends. */
  private void writeBehind(long address, Runnable end) {
    long work = device.getMemory().allocate(1L << 30);
    for (int i = 0; i < 100; i++) {
      stream.fill(work, (byte) i, 1L << 30);
    }
    stream.launch(store, ONE, address, 7);
    end.run();
    waits();
  }

  private void writeJoined() {
    Stream theirs = other.createStream();
    Kernel theirStore = other.loadModule(Ptx.STORE).getKernel("store");
    Event begun = device.createEvent();
    Event ended = other.createEvent();
    launch(
        graph(
            () -> {
              begun.record(stream);
              theirs.waitFor(begun);
              theirs.launch(theirStore, ONE, 16L, 7);
              ended.record(theirs);
              stream.waitFor(ended);
            }));
  }

  /** Returns the address of two mappings, of which only the first is open. */
  private long halfOpen() {
    VirtualMemory memory = device.getVirtualMemory();
    long address = memory.reserve(2 * PAGE);
    memory.map(address, PAGE, memory.create(PAGE));
    memory.map(address + PAGE, PAGE, memory.create(PAGE));
    memory.setAccess(address, PAGE, device);
    return address;
  }

  private void fillAcross() {
    long address = halfOpen();
    say("fill", Probe.outcome(() -> stream.fill(address + PAGE - 64, (byte) 1, 128)));
    waits();
  }

  private void copyAcross() {
    long address = halfOpen();
    long target = plain(device);
    say("copy", Probe.outcome(() -> stream.copy(target, address + PAGE - 64, 128)));
    waits();
  }

  private long plain(Device owner) {
    return owner.getMemory().allocate(4 * MIB);
  }

  private long freed() {
    long address = device.getMemory().allocate(64 * MIB);
    device.getMemory().free(address);
    return address;
  }

  private long reserved() {
    return device.getVirtualMemory().reserve(PAGE);
  }

  private static long closed(Device owner) {
    VirtualMemory memory = owner.getVirtualMemory();
    long address = memory.reserve(PAGE);
    memory.map(address, PAGE, memory.create(PAGE));
    return address;
  }

  private void write(long address) {
    stream.launch(store, ONE, address, 7);
    waits();
  }

  private void waits() {
    say("wait for the stream", Probe.outcome(stream::synchronize));
  }

  private void writeBehind() {
    write(device.getMemory().allocate(512) + 4096);
  }

  private void writePooled() {
    DriverPool pool = device.getDriverPools().create(0);
    long address = pool.allocate(PAGE, stream);
    pool.free(address, stream);
    stream.synchronize();
    say("the pool", Probe.used(pool));
    write(address);
  }

  private Graph graph(Runnable work) {
    Graphs graphs = device.getGraphs();
    graphs.beginCapture(stream);
    say("captured", Probe.outcome(work));
    return graphs.endCapture(stream);
  }

  private void launch(Graph graph) {
    say("launch", Probe.outcome(() -> graph.launch(stream)));
    waits();
  }

  private void fillFreed() {
    long address = device.getMemory().allocate(64 * MIB);
    Graph graph = graph(() -> stream.fill(address, (byte) 1, 64 * MIB));
    device.getMemory().free(address);
    launch(graph);
  }

  private void fillUnmapped() {
    VirtualMemory memory = device.getVirtualMemory();
    long address = closed(device);
    memory.setAccess(address, PAGE, device);
    Graph graph = graph(() -> stream.fill(address, (byte) 1, PAGE));
    memory.unmap(address, PAGE);
    launch(graph);
  }

  private void copyCaptured(boolean open, boolean ends) {
    long target = plain(other);
    long source = plain(device);
    if (open) {
      device.getPeerAccess().enable(other);
      other.getPeerAccess().enable(device);
    }
    Graph graph = graph(() -> stream.copy(target, source, MIB));
    if (ends) {
      device.getPeerAccess().disable(other);
      other.getPeerAccess().disable(device);
    }
    launch(graph);
  }

  private void endBehind() {
    long address = plain(other);
    device.getPeerAccess().enable(other);
    writeBehind(address, () -> device.getPeerAccess().disable(other));
  }

  /** Prepares calls of both devices. */
  private Map<String, Runnable> after() {
    Map<String, Runnable> calls = new LinkedHashMap<>();
    after(calls, "", device, busy);
    if (other != device) {
      after(calls, "the other: ", other, other.createStream());
    }
    return calls;
  }

  private static void after(Map<String, Runnable> calls, String by, Device device, Stream stream) {
    long plain = device.getMemory().allocate(MIB);
    Event event = device.createEvent();
    event.record(stream);
    PinnedBuffer pinned = device.getPinnedMemory().allocate(MIB);
    DriverPool pool = device.getDriverPools().create(0);
    KernelModule module = device.loadModule(Ptx.STORE);
    Kernel store = module.getKernel("store");
    VirtualMemory virtual = device.getVirtualMemory();
    long reserved = virtual.reserve(PAGE);
    device.synchronize();
    calls.put(by + "query of a stream", stream::isIdle);
    calls.put(by + "wait for a stream", stream::synchronize);
    calls.put(by + "query of an event", event::isComplete);
    calls.put(by + "wait for an event", event::synchronize);
    calls.put(by + "record", () -> event.record(stream));
    calls.put(by + "wait of a stream", () -> stream.waitFor(event));
    calls.put(by + "wait for the device", device::synchronize);
    calls.put(by + "memory info", device::getMemoryInfo);
    calls.put(by + "fill", () -> stream.fill(plain, (byte) 1, MIB));
    calls.put(by + "copy", () -> stream.copy(plain, plain + 4096, 16));
    calls.put(by + "copy to the host", () -> stream.copyToHost(ByteBuffer.allocate(4), plain));
    calls.put(by + "copy from the host", () -> stream.copyToDevice(plain, ByteBuffer.allocate(4)));
    calls.put(by + "launch", () -> stream.launch(store, ONE, plain, 1));
    calls.put(by + "alloc", () -> device.getMemory().allocate(MIB));
    calls.put(by + "free", () -> device.getMemory().free(plain));
    calls.put(by + "alloc of a pool", () -> pool.allocate(MIB, stream));
    calls.put(by + "statistics of a pool", pool::getStatistics);
    calls.put(by + "trim", () -> pool.trim(0));
    calls.put(by + "new pool", () -> device.getDriverPools().create(0));
    calls.put(by + "page-locked alloc", () -> device.getPinnedMemory().allocate(MIB));
    calls.put(by + "close of page-locked memory", pinned::close);
    calls.put(by + "reserve", () -> virtual.reserve(PAGE));
    calls.put(by + "create", () -> virtual.create(PAGE));
    calls.put(by + "unreserve", () -> virtual.unreserve(reserved, PAGE));
    calls.put(by + "new stream", () -> device.createStream());
    calls.put(by + "new event", device::createEvent);
    calls.put(by + "begin of a capture", () -> device.getGraphs().beginCapture(stream));
    calls.put(by + "module", () -> device.loadModule(Ptx.STORE));
    calls.put(by + "close of a module", module::close);
    calls.put(by + "close of a pool", pool::close);
    calls.put(by + "close of an event", event::close);
    calls.put(by + "close of a stream", stream::close);
  }
}
