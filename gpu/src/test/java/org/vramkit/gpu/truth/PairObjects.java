package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;
import static org.vramkit.gpu.truth.Probe.PAGE;

import java.nio.ByteBuffer;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.api.device.VirtualMemory;

/** Calls of a device that get a stream, an event, memory or another object of the other one. */
final class PairObjects implements PairTopic {
  private static final LaunchConfig ONE = LaunchConfig.of(1, 1);

  @Override
  public void run(Lab first, Lab second) {
    first.probe("2OE", second, PairObjects::events);
    first.probe("2OK", second, PairObjects::kernels);
    first.probe("2OG", second, PairObjects::graphs);
    first.probe("2OS", second, PairObjects::orderedMemory);
    first.probe("2OP", second, PairObjects::pools);
    first.probe("2OM", second, PairObjects::plainFrees);
    first.probe("2OH", second, PairObjects::hostMemory);
    first.probe("2OV", second, PairObjects::virtualMemory);
    first.probe("2OC", second, PairObjects::closed);
    first.probe("2OA", second, PairObjects::small);
  }

  private static void events(Probe p, Probe q) {
    for (StreamKind kind : StreamKind.values()) {
      Stream theirs = q.stream(kind);
      p.call("record on the other's stream, " + kind, () -> p.event(theirs));
    }
    p.call("record on its default stream", () -> p.event(q.device.getDefaultStream()));
    Stream ours = p.stream();
    Stream main = p.device.getDefaultStream();
    Event never = q.event();
    p.call("wait for the other's event, never recorded", () -> ours.waitFor(never));
    p.call("by the default stream", () -> main.waitFor(never));
    Event event = q.event(q.stream());
    p.call("wait for the other's event", () -> ours.waitFor(event));
    p.call("by the default stream", () -> main.waitFor(event));
    p.call("record of the other's event on one's stream", () -> event.record(ours));
    p.call("on one's default stream", () -> event.record(main));
    q.device.synchronize();
    p.say("query of it then", Probe.outcome(event::isComplete) + " " + event.isComplete());
    Busy busy = q.busy(q.device.getDefaultStream());
    Event behind = q.event(q.device.getDefaultStream());
    main.waitFor(behind);
    p.say("query of one's default stream behind the other's", main.isIdle());
    behind.close();
    p.say("the event closed", busy.state());
    main.synchronize();
    p.say("a wait for one's default stream", busy.state());
  }

  private static void kernels(Probe p, Probe q) {
    Kernel store = q.module(Ptx.STORE).getKernel("store");
    Stream ours = p.stream();
    Stream theirs = q.stream();
    long mine = p.plain(64);
    long yours = q.plain(64);
    p.call("the other's kernel on one's stream", () -> ours.launch(store, ONE, mine, 1));
    p.call("on one's default stream", () -> main(p).launch(store, ONE, mine, 1));
    p.call("on its own stream", () -> theirs.launch(store, ONE, yours, 1));
    p.call("on its own default stream", () -> main(q).launch(store, ONE, yours, 1));
    p.call("page-locked memory of one", () -> theirs.launch(store, ONE, p.lab.flags, 0));
    PinnedBuffer managed = p.managed(PAGE);
    p.call("managed memory of one", () -> theirs.launch(store, ONE, managed, 7));
    p.call("wait", theirs::synchronize);
    p.say("the managed byte", managed.getBytes(0, 1).get(0));
    PairWaiting.open(p, q, true);
    p.call("access both ways: one's memory", () -> theirs.launch(store, ONE, mine, 9));
    p.call("wait", theirs::synchronize);
    p.say("the byte", read(p, mine));
    p.call("the other's kernel on one's stream", () -> ours.launch(store, ONE, mine, 1));
    PairWaiting.open(p, q, false);
    for (boolean granted : new boolean[] {true, false}) {
      DriverPool pool = p.pool();
      pool.setAccess(q.device, true);
      long pooled = p.pooled(pool, PAGE, granted ? ours : theirs);
      p.device.synchronize();
      q.device.synchronize();
      theirs.launch(store, ONE, pooled, 11);
      p.call("a granted pool, wait", theirs::synchronize);
      p.say("the byte", read(p, pooled));
    }
    long mapped = p.mapped(PAGE);
    p.device.getVirtualMemory().setAccess(mapped, PAGE, q.device);
    theirs.launch(store, ONE, mapped, 13);
    p.call("an open mapping, wait", theirs::synchronize);
    p.say("the byte", read(p, mapped));
  }

  private static Stream main(Probe probe) {
    return probe.device.getDefaultStream();
  }

  private static byte read(Probe probe, long address) {
    ByteBuffer found = ByteBuffer.allocate(1);
    probe.stream().copyToHost(found, address);
    return found.get(0);
  }

  private static void graphs(Probe p, Probe q) {
    Stream ours = p.stream();
    Stream theirs = q.stream();
    var graphs = p.device.getGraphs();
    p.call("begin of the other's stream", () -> graphs.beginCapture(theirs));
    p.call("end of it", () -> graphs.endCapture(theirs));
    q.capture(theirs);
    p.call("end through one", () -> graphs.endCapture(theirs));
    p.call("is it captured, asked of one", () -> graphs.isCapturing(theirs));
    p.say("any captured: one; the other", any(p) + "; " + any(q));
    p.say("end through the other", q.endCapture(theirs));
    Graph graph = p.graph(ours, () -> ours.fill(p.lab.work, (byte) 1, 64));
    p.say("open graphs: one; the other", open(p) + "; " + open(q));
    for (StreamKind kind : StreamKind.values()) {
      Stream other = q.stream(kind);
      p.call("launch on the other's stream, " + kind, () -> graph.launch(other));
    }
    p.call("on its default stream", () -> graph.launch(main(q)));
    p.call("a wait for the other", q.device::synchronize);
    q.capture(theirs);
    p.call("launch on the other's captured stream", () -> graph.launch(theirs));
    p.say("end", q.endCapture(theirs));
    p.capture(ours);
    p.call("launch beside one's capture", () -> graph.launch(theirs));
    p.say("end", p.endCapture(ours));
    graph.close();
    p.say("open graphs: one; the other", open(p) + "; " + open(q));
    p.call("launch of the closed graph", () -> graph.launch(theirs));
  }

  private static boolean any(Probe probe) {
    return probe.device.getGraphs().isAnyCapturing();
  }

  private static boolean open(Probe probe) {
    return probe.device.getGraphs().hasOpenGraphs();
  }

  private static void orderedMemory(Probe p, Probe q) {
    StreamOrderedMemory mine = p.device.getStreamOrderedMemory();
    StreamOrderedMemory yours = q.device.getStreamOrderedMemory();
    Stream ours = p.stream();
    Stream theirs = q.stream();
    p.call("default pool on the other's stream", () -> mine.allocate(MIB, theirs));
    p.call("on its default stream", () -> mine.allocate(MIB, main(q)));
    long address = mine.allocate(MIB, ours);
    ours.synchronize();
    p.call("free through the other's on one's stream", () -> yours.free(address, ours));
    p.call("free again", () -> mine.free(address, ours));
    long second = mine.allocate(MIB, ours);
    ours.synchronize();
    p.call("free through the other's on its stream", () -> yours.free(second, theirs));
    theirs.synchronize();
    p.call("free again", () -> mine.free(second, ours));
    long third = mine.allocate(MIB, ours);
    ours.synchronize();
    p.call("free on the other's default stream", () -> mine.free(third, main(q)));
    q.device.synchronize();
    long fourth = mine.allocate(MIB, ours);
    ours.synchronize();
    p.call("plain free through the other", () -> q.device.getMemory().free(fourth));
    p.call("plain free then", () -> p.device.getMemory().free(fourth));
    p.call("free of 0 on the other's stream", () -> mine.free(0, theirs));
    p.call("interior free on it", () -> mine.free(p.plain(PAGE) + 512, theirs));
    p.call("an unknown address on it", () -> mine.free(1L << 40, theirs));
  }

  private static void pools(Probe p, Probe q) {
    DriverPool pool = p.pool();
    Stream theirs = q.stream();
    p.call("alloc of 0 on the other's stream", () -> pool.allocate(0, theirs));
    p.call("of 1 PiB", () -> pool.allocate(1L << 50, theirs));
    DriverPool small = p.pool(Probe.UNIT);
    p.call("more than its limit", () -> small.allocate(2 * Probe.UNIT, theirs));
    for (Stream stream :
        new Stream[] {theirs, q.stream(StreamKind.BLOCKING), q.device.getDefaultStream()}) {
      long address = pool.allocate(MIB, stream);
      p.say("alloc on " + (stream.isDefault() ? "default" : "a stream"), Probe.used(pool));
      p.call("free there", () -> pool.free(address, stream));
      p.say("the pool", Probe.used(pool));
      stream.synchronize();
      p.say("after a wait", Probe.used(pool));
    }
    long interior = p.pooled(pool, PAGE, theirs);
    p.call("interior free", () -> pool.free(interior + MIB, theirs));
    p.call("free of the other's plain memory", () -> pool.free(q.plain(PAGE) + 64, theirs));
    p.call("close", pool::close);
    p.call("free through the closed pool", () -> pool.free(interior, theirs));
    p.call("alloc of the closed pool", () -> pool.allocate(MIB, theirs));
    p.call("access of the closed pool", () -> pool.setAccess(q.device, true));
  }

  private static void plainFrees(Probe p, Probe q) {
    var mine = p.device.getMemory();
    long plain = q.plain(PAGE);
    p.call("interior free of the other's", () -> mine.free(plain + 512));
    p.call("free of the other's", () -> mine.free(plain));
    p.call("again", () -> mine.free(plain));
    p.call("again by the other", () -> q.device.getMemory().free(plain));
    long small = q.plain(512);
    long beside = q.plain(512);
    p.call("free of 512 of the other's", () -> mine.free(small));
    p.call("of another 512", () -> mine.free(beside));
    long mapped = q.mapped(PAGE);
    p.call("free of the other's mapping", () -> mine.free(mapped));
    p.call("of its reserved addresses", () -> mine.free(q.reserve(PAGE)));
    p.call("of its page-locked memory", () -> mine.free(q.pinned(MIB).getAddress()));
    p.call("of its managed memory", () -> mine.free(q.managed(MIB).getAddress() + MIB / 2));
    PairWaiting.open(p, q, true);
    long seen = q.plain(PAGE);
    p.call("access both ways: free of the other's", () -> mine.free(seen));
    p.call("again by the other", () -> q.device.getMemory().free(seen));
    PairWaiting.open(p, q, false);
  }

  private static void hostMemory(Probe p, Probe q) {
    Stream ours = p.stream();
    PinnedBuffer locked = q.pinned(PAGE);
    PinnedBuffer registered = q.kept(q.device.getPinnedMemory().register(Calls.direct(MIB)));
    PinnedBuffer managed = q.managed(PAGE);
    for (PinnedBuffer each : new PinnedBuffer[] {locked, registered, managed}) {
      p.call("fill of the other's host memory", () -> ours.fill(each.getAddress(), (byte) 5, 64));
      p.call("copy to it", () -> ours.copyToHost(each, 0, p.lab.work, 64));
      p.call("copy from it", () -> ours.copyToDevice(p.lab.work, each, 0, 64));
      p.call("copy inside it", () -> ours.copy(each.getAddress() + 64, each.getAddress(), 64));
      p.call("copy past its end", () -> ours.copyToHost(each, each.getSize(), p.lab.work, 64));
      p.call("a wait", ours::synchronize);
      p.call("close", each::close);
      p.call("copy to it then", () -> ours.copyToHost(each, 0, p.lab.work, 64));
    }
  }

  private static void virtualMemory(Probe p, Probe q) {
    VirtualMemory mine = p.device.getVirtualMemory();
    long handle = q.physical(PAGE);
    long address = q.reserve(2 * PAGE);
    p.call("map of half a page", () -> mine.map(address, MIB, handle));
    p.call("map of more than the handle", () -> mine.map(address, 2 * PAGE, handle));
    p.call("map outside a reservation", () -> mine.map(1L << 40, PAGE, handle));
    p.call("map", () -> q.map(address, PAGE, handle));
    p.call("map over it through one", () -> mine.map(address, PAGE, handle));
    p.call("map at the other page", () -> mine.map(address + PAGE, PAGE, handle));
    p.call("end of the reservation", () -> mine.unreserve(address, 2 * PAGE));
    p.call("unmap of half of it", () -> mine.unmap(address, MIB));
    p.call("unmap of both", () -> mine.unmap(address, 2 * PAGE));
    p.call("unmap again", () -> mine.unmap(address, 2 * PAGE));
    p.call("access of the unmapped", () -> mine.setAccess(address, PAGE, q.device));
    p.call("its end", () -> mine.removeAccess(address, PAGE, q.device));
    p.call("end of half the reservation", () -> mine.unreserve(address, PAGE));
    p.call("end of the reservation", () -> mine.unreserve(address, 2 * PAGE));
    p.call("release", () -> mine.release(handle));
    p.call("release again", () -> q.device.getVirtualMemory().release(handle));
  }

  private static void closed(Probe p, Probe q) {
    Stream gone = q.stream();
    gone.close();
    DriverPool pool = p.pool();
    p.call("pool alloc on the other's closed stream", () -> pool.allocate(MIB, gone));
    long address = p.pooled(pool, MIB, p.stream());
    p.call("pool free on it", () -> pool.free(address, gone));
    Event event = q.event();
    event.close();
    Stream ours = p.stream();
    p.call("wait for the other's closed event", () -> ours.waitFor(event));
    KernelModule module = q.module(Ptx.STORE);
    Kernel store = module.getKernel("store");
    module.close();
    p.call("launch of its closed module", () -> ours.launch(store, ONE, p.lab.work, 1));
    Graph graph = q.graph(q.stream(), () -> {});
    p.call("launch of the other's empty graph", () -> graph.launch(ours));
    p.call("a wait", ours::synchronize);
    p.call("record on its closed stream", () -> p.event(gone));
    p.call("begin of a capture", () -> q.device.getGraphs().beginCapture(gone));
  }

  /** Blocks that share 2 MiB. */
  private static void small(Probe p, Probe q) {
    long before = q.plain(512);
    p.device.getPeerAccess().enable(q.device);
    long within = q.plain(512);
    Stream stream = p.stream();
    p.call("a block from before the access", () -> stream.fill(before, (byte) 1, 512));
    p.call("one after it", () -> stream.fill(within, (byte) 1, 512));
    q.freePlain(before);
    p.call("one that is freed", () -> stream.fill(before, (byte) 1, 512));
    long again = q.plain(512);
    p.say("at its place", again == before);
    p.call("fill", () -> stream.fill(again, (byte) 1, 512));
    p.device.synchronize();
    p.device.getPeerAccess().disable(q.device);
    p.call("after the end", () -> stream.fill(within, (byte) 1, 512));
    p.call("wait", stream::synchronize);
  }
}
