package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;
import static org.vramkit.gpu.truth.Probe.PAGE;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.device.VirtualMemory;

/** What a capture refuses of the other device, and graphs with work of both. */
final class PairCaptures implements PairTopic {
  @Override
  public void run(Lab first, Lab second) {
    List<Calls.Call> calls = Calls.all();
    for (int i = 0; i < calls.size(); i++) {
      Calls.Call call = calls.get(i);
      first.probe("2CS" + i, second, (p, q) -> captured(p, q, call, StreamKind.NON_BLOCKING));
      first.probe("2CB" + i, second, (p, q) -> captured(p, q, call, StreamKind.BLOCKING));
      first.probe("2CO" + i, second, (p, q) -> elsewhere(p, q, call));
    }
    between(first, second);
    first.probe("2CJ", second, PairCaptures::joins);
    first.probe("2CE", second, PairCaptures::events);
    first.probe("2CG", second, PairCaptures::launches);
    copies(first, second);
  }

  private static void captured(Probe p, Probe q, Calls.Call call, StreamKind kind) {
    Runnable action = call.prepare().apply(q);
    q.device.synchronize();
    Stream stream = p.stream(kind);
    p.capture(stream);
    String outcome = Probe.outcome(action);
    p.say(
        "a stream captured that is " + kind + ", on the other device: " + call.name(),
        outcome + "; then end " + p.endCapture(stream));
  }

  private static void elsewhere(Probe p, Probe q, Calls.Call call) {
    Runnable action = call.prepare().apply(q);
    q.device.synchronize();
    Stream stream = p.stream();
    p.lab.elsewhere(() -> p.capture(stream));
    String outcome = Probe.outcome(action);
    String[] end = new String[1];
    p.lab.elsewhere(() -> end[0] = p.endCapture(stream));
    p.say(
        "captured by another thread, on the other device: " + call.name(),
        outcome + "; then end " + end[0]);
  }

  private interface Prepared {
    Runnable prepare(Probe p, Probe q, Stream captured);
  }

  private static void captured(Lab first, Lab second, String id, String name, Prepared call) {
    first.probe(
        id,
        second,
        (p, q) -> {
          Stream stream = p.stream();
          Runnable action = call.prepare(p, q, stream);
          p.capture(stream);
          String outcome = Probe.outcome(action);
          p.say("captured: " + name, outcome + "; then end " + p.endCapture(stream));
        });
  }

  /** Calls that concern both devices, and those on streams that have joined. */
  private static void between(Lab first, Lab second) {
    captured(first, second, "2CC0", "access to the other", (p, q, s) -> access(p, q, true));
    captured(first, second, "2CC1", "its end", (p, q, s) -> access(p, q, false));
    captured(first, second, "2CC2", "access of the other", (p, q, s) -> access(q, p, true));
    captured(
        first,
        second,
        "2CC3",
        "question for access",
        (p, q, s) -> () -> p.device.getPeerAccess().canAccess(q.device));
    captured(
        first,
        second,
        "2CC4",
        "access to a pool for the other",
        (p, q, s) -> {
          DriverPool pool = p.pool();
          return () -> pool.setAccess(q.device, true);
        });
    captured(
        first,
        second,
        "2CC5",
        "access to a mapping for both",
        (p, q, s) -> {
          long mapped = p.mapped(PAGE);
          VirtualMemory memory = p.device.getVirtualMemory();
          return () -> memory.setAccess(mapped, PAGE, List.of(p.device, q.device));
        });
    captured(
        first,
        second,
        "2CC6",
        "the other's default stream waits for an event of the capture",
        (p, q, s) -> {
          Event event = p.event();
          return () -> {
            event.record(s);
            q.device.getDefaultStream().waitFor(event);
          };
        });
    joined(first, second, "0", "query", (q, s) -> s::isIdle);
    joined(first, second, "1", "wait", (q, s) -> s::synchronize);
    joined(first, second, "2", "wait for its device", (q, s) -> q.device::synchronize);
    joined(first, second, "3", "alloc of its device", (q, s) -> () -> q.plain(MIB));
    joined(first, second, "4", "alloc of a pool", (q, s) -> alloc(q, q.pool(), s));
    joined(
        first,
        second,
        "5",
        "alloc of the default pool",
        (q, s) -> () -> q.device.getStreamOrderedMemory().allocate(MIB, s));
    joined(
        first,
        second,
        "6",
        "copy from a heap buffer",
        (q, s) -> () -> s.copyToDevice(q.lab.work, ByteBuffer.allocate(16)));
    joined(
        first,
        second,
        "7",
        "copy to a heap buffer",
        (q, s) -> () -> s.copyToHost(ByteBuffer.allocate(16), q.lab.work));
    joined(
        first,
        second,
        "8",
        "copy from page-locked memory",
        (q, s) -> () -> s.copyToDevice(q.lab.work, q.lab.flags, 0, 16));
    joined(first, second, "9", "fill", (q, s) -> () -> s.fill(q.lab.work, (byte) 1, 16));
    joined(
        first,
        second,
        "10",
        "begin of a capture",
        (q, s) -> () -> q.device.getGraphs().beginCapture(s));
    joined(
        first,
        second,
        "11",
        "end of the capture there",
        (q, s) -> () -> q.device.getGraphs().endCapture(s));
    joined(
        first,
        second,
        "12",
        "fill on its device's default stream",
        (q, s) -> () -> q.device.getDefaultStream().fill(q.lab.work, (byte) 1, 16));
  }

  private static Runnable access(Probe of, Probe to, boolean open) {
    return () -> {
      if (open) {
        of.device.getPeerAccess().enable(to.device);
      } else {
        of.device.getPeerAccess().disable(to.device);
      }
    };
  }

  private static Runnable alloc(Probe q, DriverPool pool, Stream stream) {
    return () -> q.pooled(pool, MIB, stream);
  }

  private interface OnJoined {
    Runnable prepare(Probe q, Stream joined);
  }

  private static void joined(Lab first, Lab second, String id, String name, OnJoined call) {
    for (StreamKind kind : StreamKind.values()) {
      first.probe(
          "2CD" + (kind == StreamKind.BLOCKING ? "B" : "N") + id,
          second,
          (p, q) -> {
            Stream ours = p.stream();
            Stream theirs = q.stream(kind);
            Runnable action = call.prepare(q, theirs);
            q.device.synchronize();
            p.capture(ours);
            theirs.waitFor(p.event(ours));
            String outcome = Probe.outcome(action);
            String joins = Probe.outcome(() -> ours.waitFor(q.event(theirs)));
            p.say(
                "on the other's stream, " + kind + ", in the capture: " + name,
                outcome + "; back " + joins + "; then end " + p.endCapture(ours));
          });
    }
  }

  private static void joins(Probe p, Probe q) {
    Stream ours = p.stream();
    Stream theirs = q.stream();
    p.capture(ours);
    theirs.waitFor(p.event(ours));
    p.say("captured: ours; any; theirs; any", state(p, ours) + "; " + state(q, theirs));
    theirs.fill(q.lab.work, (byte) 1, 16);
    p.say("end without joining back", p.endCapture(ours));
    p.say("captured: ours; any; theirs; any", state(p, ours) + "; " + state(q, theirs));
    p.call("begin on the other's stream", () -> p.device.getGraphs().beginCapture(theirs));
    p.call("end on the other's stream", () -> p.device.getGraphs().endCapture(theirs));
    p.call("question for the other's stream", () -> p.device.getGraphs().isCapturing(theirs));
    p.capture(ours);
    q.capture(theirs);
    Event event = p.event(ours);
    p.call("wait of one's capture for the other's", () -> theirs.waitFor(event));
    p.say("end of the one", p.endCapture(ours));
    p.say("end of the other", q.endCapture(theirs));
  }

  private static String state(Probe probe, Stream stream) {
    var graphs = probe.device.getGraphs();
    return graphs.isCapturing(stream) + "; " + graphs.isAnyCapturing();
  }

  private static void events(Probe p, Probe q) {
    Stream ours = p.stream();
    Stream theirs = q.stream();
    p.capture(ours);
    Event mine = p.event(ours);
    theirs.waitFor(mine);
    Event yours = q.event(theirs);
    ours.waitFor(yours);
    p.call("query of the other's event of the capture", yours::isComplete);
    p.say("end", p.endCapture(ours));
    var graphs = p.device.getGraphs();
    p.say("open graphs", graphs.hasOpenGraphs() + "; " + q.device.getGraphs().hasOpenGraphs());
    p.call("query of one's event then", mine::isComplete);
    p.call("query of the other's", yours::isComplete);
    p.call("wait of the host for it", yours::synchronize);
    p.call("wait of the other's stream for one's event", () -> theirs.waitFor(mine));
    Event before = q.event(theirs);
    q.device.synchronize();
    p.capture(ours);
    p.call("wait of the capture for the other's event from before", () -> ours.waitFor(before));
    p.say("end", p.endCapture(ours));
  }

  private static void launches(Probe p, Probe q) {
    Stream ours = p.stream();
    Stream theirs = q.stream();
    p.capture(ours);
    theirs.waitFor(p.event(ours));
    theirs.fill(q.lab.work, (byte) 7, 16);
    ours.waitFor(q.event(theirs));
    Graph graph = p.kept(p.device.getGraphs().endCapture(ours));
    p.call("launch on one's stream", () -> graph.launch(ours));
    ours.synchronize();
    ByteBuffer read = ByteBuffer.allocate(1);
    theirs.copyToHost(read, q.lab.work);
    p.say("the byte of the other", read.get(0));
    p.call("launch on the other's stream", () -> graph.launch(theirs));
    p.call("on the other's default stream", () -> graph.launch(q.device.getDefaultStream()));
  }

  /** Copies and fills of the other's memory in a capture, by the access that there is. */
  private static void copies(Lab first, Lab second) {
    work(first, second, "0", "copy to it", (p, m) -> s -> s.copy(m, p.lab.work, 16));
    work(first, second, "1", "copy from it", (p, m) -> s -> s.copy(p.lab.work, m, 16));
    work(first, second, "2", "fill of it", (p, m) -> s -> s.fill(m, (byte) 1, 16));
    work(
        first,
        second,
        "3",
        "copy from page-locked memory",
        (p, m) -> s -> s.copyToDevice(m, p.lab.flags, 0, 16));
    work(
        first,
        second,
        "4",
        "copy to page-locked memory",
        (p, m) -> s -> s.copyToHost(p.lab.flags, 0, m, 16));
  }

  private interface Submitted {
    void to(Stream stream);
  }

  private interface OnMemory {
    Submitted of(Probe p, long memory);
  }

  private static void work(Lab first, Lab second, String id, String name, OnMemory work) {
    memory(first, second, "2CMP" + id, "plain memory: " + name, q -> q.plain(PAGE), work);
    memory(
        first,
        second,
        "2CMO" + id,
        "memory of a pool: " + name,
        q -> q.pooled(q.pool(), PAGE, q.stream()),
        work);
    memory(first, second, "2CMM" + id, "mapped memory: " + name, q -> q.mapped(PAGE), work);
  }

  private static void memory(
      Lab first, Lab second, String id, String name, Function<Probe, Long> made, OnMemory work) {
    first.probe(
        id,
        second,
        (p, q) -> {
          long memory = made.apply(q);
          q.device.synchronize();
          for (boolean open : new boolean[] {false, true}) {
            PairWaiting.open(p, q, open);
            Stream stream = p.stream();
            p.capture(stream);
            String outcome = Probe.outcome(() -> work.of(p, memory).to(stream));
            p.say(
                "captured, " + (open ? "access both ways, " : "no access, ") + name,
                outcome + "; then end " + p.endCapture(stream));
          }
          PairWaiting.open(p, q, false);
        });
  }
}
