package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;
import static org.vramkit.gpu.truth.Probe.PAGE;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;

/** What waits for work of which stream of two devices, and when memory is free again. */
final class PairOrder implements PairTopic {
  private static final long SIZE = 64 * MIB;

  @Override
  public void run(Lab first, Lab second) {
    List<Calls.Call> calls =
        Calls.all().stream().filter(each -> !each.name().contains("PiB")).toList();
    for (int i = 0; i < calls.size(); i++) {
      Calls.Call call = calls.get(i);
      first.probe("2QA" + i, second, (p, q) -> open(p, q, call));
    }
    for (int i = 0; i < 6; i++) {
      int busy = i;
      first.probe("2QS" + i, second, (p, q) -> beside(p, q, busy));
      first.probe("2QC" + i, second, (p, q) -> chained(p, q, busy));
    }
    first.probe("2QF", second, PairOrder::frees);
    first.probe("2QT", second, PairOrder::thresholds);
    first.probe("2QU", second, PairOrder::unused);
    first.probe("2QI", second, PairOrder::figures);
    first.probe("2QG", second, PairOrder::graphs);
    first.probe("2QH", second, PairOrder::pageLocked);
    first.probe("2QL", second, PairOrder::closes);
    first.probe("2QV", second, PairOrder::mappings);
  }

  private static void settle(Probe p, Probe q) {
    p.device.synchronize();
    q.device.synchronize();
  }

  private static void open(Probe p, Probe q, Calls.Call call) {
    PairWaiting.open(p, q, true);
    Runnable action = call.prepare().apply(p);
    settle(p, q);
    Busy busy = q.busy(q.device.getDefaultStream());
    String outcome = Probe.outcome(action);
    p.say(
        "access both ways: " + call.name() + " beside work on the other's default stream",
        busy.state() + "; " + outcome);
    settle(p, q);
    PairWaiting.open(p, q, false);
  }

  private static Map<String, Stream> streams(Probe p, Probe q) {
    Map<String, Stream> streams = new LinkedHashMap<>();
    for (Probe each : List.of(p, q)) {
      String whose = each == p ? "one's " : "the other's ";
      streams.put(whose + "non-blocking stream", each.stream());
      streams.put(whose + "blocking stream", each.stream(StreamKind.BLOCKING));
      streams.put(whose + "default stream", each.device.getDefaultStream());
    }
    return streams;
  }

  private static Probe of(Probe p, Probe q, Stream stream) {
    return stream.getDevice() == p.device ? p : q;
  }

  private interface OnStream {
    void make(Probe owner, Stream stream);
  }

  /** Which calls on each stream wait for work on one. */
  private static void beside(Probe p, Probe q, int number) {
    Map<String, Stream> streams = streams(p, q);
    String where = List.copyOf(streams.keySet()).get(number);
    Stream working = streams.get(where);
    Map<String, OnStream> calls = new LinkedHashMap<>();
    calls.put("a query", (owner, s) -> s.isIdle());
    calls.put("a wait", (owner, s) -> s.synchronize());
    calls.put("a fill and a wait", PairOrder::fill);
    calls.put("a copy to the heap", PairOrder::read);
    calls.put("an event and a wait for it", (owner, s) -> owner.event(s).synchronize());
    calls.put("a wait for its device", (owner, s) -> s.getDevice().synchronize());
    streams.forEach(
        (on, stream) ->
            calls.forEach(
                (name, call) -> {
                  Busy busy = of(p, q, working).busy(working);
                  call.make(of(p, q, stream), stream);
                  p.say("work on " + where + ", " + name + " on " + on, busy.state());
                  settle(p, q);
                }));
    streams.forEach(
        (on, stream) -> {
          Busy busy = of(p, q, working).busy(working);
          boolean idle = stream.isIdle();
          p.say("work on " + where + ", is idle: " + on, idle + "; " + busy.state());
          settle(p, q);
        });
  }

  private static void fill(Probe owner, Stream stream) {
    stream.fill(owner.lab.one + 512, (byte) 1, 16);
    stream.synchronize();
  }

  private static void read(Probe owner, Stream stream) {
    stream.copyToHost(ByteBuffer.allocate(16), owner.lab.one);
  }

  /** A stream waits for an event behind work; what then waits for that stream. */
  private static void chained(Probe p, Probe q, int number) {
    Map<String, Stream> streams = streams(p, q);
    String where = List.copyOf(streams.keySet()).get(number);
    Stream working = streams.get(where);
    Stream third = p.stream();
    Stream fourth = q.stream(StreamKind.BLOCKING);
    streams.forEach(
        (on, stream) -> {
          Busy busy = of(p, q, working).busy(working);
          stream.waitFor(of(p, q, working).event(working));
          Event next = of(p, q, stream).event(stream);
          boolean passed = next.isComplete();
          p.say(
              on + " waits for " + where + ": its event has passed", passed + "; " + busy.state());
          third.waitFor(next);
          fourth.waitFor(next);
          p.say("idle behind it", third.isIdle() + " " + fourth.isIdle() + "; " + busy.state());
          fourth.synchronize();
          p.say("a wait for that", busy.state());
          settle(p, q);
        });
  }

  /** Pool memory freed on every stream behind work of another. */
  private static void frees(Probe p, Probe q) {
    for (Probe owner : List.of(p, q)) {
      streams(p, q)
          .forEach(
              (on, stream) -> {
                DriverPool pool = owner.pool();
                Stream home = owner.stream();
                long address = owner.pooled(pool, SIZE, home);
                home.synchronize();
                Busy busy = of(p, q, stream).busy(stream);
                owner.freePooled(pool, address, stream);
                String first = Probe.used(pool);
                home.synchronize();
                String second = Probe.used(pool);
                String state = busy.state();
                stream.synchronize();
                p.say(
                    "pool of %s, freed behind work on %s; a wait for home; for it"
                        .formatted(owner == p ? "one" : "the other", on),
                    first + "; " + second + "; " + state + "; " + Probe.used(pool));
                settle(p, q);
                p.say("after waits for both", Probe.used(pool));
              });
    }
  }

  /** When thresholds act, by what waits for a free on the other's stream. */
  private static void thresholds(Probe p, Probe q) {
    for (long threshold : new long[] {0, PAGE, SIZE, Long.MAX_VALUE}) {
      for (Probe freeing : List.of(p, q)) {
        DriverPool pool = p.pool();
        pool.setReleaseThreshold(threshold);
        Stream ours = p.stream();
        Stream on = freeing.stream();
        long first = p.pooled(pool, SIZE, ours);
        long second = p.pooled(pool, SIZE, ours);
        ours.synchronize();
        p.freePooled(pool, first, on);
        on.synchronize();
        p.say(
            "threshold %d, one of two freed on %s, a wait"
                .formatted(threshold, freeing == p ? "one's stream" : "the other's stream"),
            Probe.used(pool));
        p.freePooled(pool, second, on);
        p.say("the second freed", Probe.used(pool));
        pool.trim(PAGE);
        p.say("trimmed", Probe.used(pool));
        freeing.device.getDefaultStream().synchronize();
        p.say("a wait for the default stream", Probe.used(pool));
        freeing.event(on).synchronize();
        p.say("for an event", Probe.used(pool));
        ours.synchronize();
        p.say("for one's stream", Probe.used(pool));
        settle(p, q);
        p.say("for both", Probe.used(pool));
      }
    }
  }

  /** Which of the pools of both a plain allocation or a wait empties. */
  private static void unused(Probe p, Probe q) {
    DriverPool mine = p.pool();
    DriverPool yours = q.pool();
    Stream ours = p.stream();
    Stream theirs = q.stream();
    Map<String, Runnable> calls = new LinkedHashMap<>();
    calls.put("a wait for one's stream", ours::synchronize);
    calls.put("a wait for the other's", theirs::synchronize);
    calls.put("a wait for one", p.device::synchronize);
    calls.put("a wait for the other", q.device::synchronize);
    calls.put("a trim of one's", () -> mine.trim(0));
    calls.put("a trim of the other's", () -> yours.trim(0));
    calls.put("a plain alloc of one", () -> p.plain(PAGE));
    calls.put("a fill of one's stream", () -> ours.fill(p.lab.work, (byte) 1, 16));
    calls.put("a copy by one to the heap", () -> read(p, ours));
    calls.put("a copy by the other to the heap", () -> read(q, theirs));
    calls.put("an alloc of one's pool on the other's stream", () -> p.pooled(mine, 1, theirs));
    calls.forEach(
        (name, call) -> {
          long first = p.pooled(mine, SIZE, theirs);
          long second = q.pooled(yours, SIZE, ours);
          settle(p, q);
          p.freePooled(mine, first, theirs);
          q.freePooled(yours, second, ours);
          call.run();
          p.say(
              "each's pool freed on the other's stream, " + name,
              Probe.used(mine) + "; " + Probe.used(yours));
          settle(p, q);
          p.say("waits for both", Probe.used(mine) + "; " + Probe.used(yours));
        });
  }

  /** Free memory of both after each step. */
  private static void figures(Probe p, Probe q) {
    long ours = p.free();
    long theirs = q.free();
    DriverPool pool = p.pool();
    Stream other = q.stream();
    Map<String, Runnable> steps = new LinkedHashMap<>();
    long[] address = new long[3];
    steps.put("a pool, granted", () -> pool.setAccess(q.device, true));
    steps.put("an alloc on the other's stream", () -> address[0] = pool.allocate(SIZE, other));
    steps.put("a free there", () -> pool.free(address[0], other));
    steps.put("a wait there", other::synchronize);
    steps.put("a trim", () -> pool.trim(0));
    steps.put("access both ways", () -> PairWaiting.open(p, q, true));
    steps.put("alloc of the other", () -> address[1] = q.device.getMemory().allocate(3 * MIB));
    steps.put("alloc of 1 of the other", () -> address[2] = q.device.getMemory().allocate(1));
    steps.put("free through one", () -> p.device.getMemory().free(address[1]));
    steps.put("free of 1 through one", () -> p.device.getMemory().free(address[2]));
    steps.put("end of access", () -> PairWaiting.open(p, q, false));
    steps.put("page-locked memory", () -> q.pinned(SIZE));
    steps.put("a mapping of the other", () -> q.mapped(SIZE));
    steps.put("a module of the other", () -> q.module(Ptx.STORE));
    steps.put("streams of the other", () -> q.stream().fill(q.lab.work, (byte) 1, 16));
    steps.forEach(
        (name, step) -> {
          String outcome = Probe.outcome(step);
          p.say(
              name + ": free memory; the other's",
              outcome + "; " + (p.free() - ours) + "; " + (q.free() - theirs));
        });
  }

  /** What waits for a graph with nodes of the other. */
  private static void graphs(Probe p, Probe q) {
    Map<String, Stream> streams = streams(p, q);
    streams.values().removeIf(each -> each.getDevice() != p.device);
    Stream ours = p.stream();
    Stream theirs = q.stream();
    p.capture(ours);
    theirs.waitFor(p.event(ours));
    Busy busy = q.busy(theirs);
    ours.waitFor(q.event(theirs));
    var graph = p.kept(p.device.getGraphs().endCapture(ours));
    Map<String, Runnable> waits = new LinkedHashMap<>();
    waits.put("the captured stream", ours::synchronize);
    waits.put("the other's captured stream", theirs::synchronize);
    waits.put("one", p.device::synchronize);
    waits.put("the other", q.device::synchronize);
    waits.put("one's default stream", p.device.getDefaultStream()::synchronize);
    waits.put("the other's default stream", q.device.getDefaultStream()::synchronize);
    streams.forEach(
        (on, stream) ->
            waits.forEach(
                (name, wait) -> {
                  busy.again();
                  graph.launch(stream);
                  wait.run();
                  p.say(
                      "a graph with work of the other on " + on + ", a wait for " + name,
                      busy.state());
                  settle(p, q);
                }));
  }

  /** Closes of page-locked memory of each beside work of each, through all streams. */
  private static void pageLocked(Probe p, Probe q) {
    streams(p, q)
        .forEach(
            (on, stream) -> {
              for (Probe owner : List.of(p, q)) {
                for (int kind = 0; kind < 3; kind++) {
                  var pinned = owner.device.getPinnedMemory();
                  var buffer =
                      switch (kind) {
                        case 0 -> owner.pinned(MIB);
                        case 1 -> owner.kept(pinned.register(Calls.direct(MIB)));
                        default -> owner.managed(MIB);
                      };
                  stream.fill(buffer.getAddress(), (byte) 1, 64);
                  settle(p, q);
                  Busy busy = of(p, q, stream).busy(stream);
                  buffer.close();
                  p.say(
                      "close of host memory of kind %d of %s, used and busy: %s"
                          .formatted(kind, owner == p ? "one" : "the other", on),
                      busy.state());
                  settle(p, q);
                }
              }
            });
  }

  /** Closes of streams, events and pools with work of the other behind them. */
  private static void closes(Probe p, Probe q) {
    Map<String, Runnable> calls = new LinkedHashMap<>();
    Stream waiting = p.stream();
    Event event = q.event();
    DriverPool pool = p.pool();
    Stream theirs = q.stream();
    calls.put("a stream that waits for the other's", waiting::close);
    calls.put("the other's event that a stream waits for", event::close);
    calls.put("a pool whose memory the other's stream frees", pool::close);
    calls.put("the other's stream", theirs::close);
    long address = p.pooled(pool, SIZE, theirs);
    settle(p, q);
    long before = p.free();
    Busy busy = q.busy(theirs);
    event.record(theirs);
    waiting.waitFor(event);
    p.freePooled(pool, address, theirs);
    calls.forEach(
        (name, call) -> p.say("close of " + name, Probe.outcome(call) + "; " + busy.state()));
    p.say("free memory", (p.free() - before) + "; " + busy.state());
    settle(p, q);
    p.say("after waits for both", p.free() - before);
  }

  /** Calls of virtual memory of each beside work of each. */
  private static void mappings(Probe p, Probe q) {
    for (Probe owner : List.of(p, q)) {
      streams(p, q)
          .forEach(
              (on, stream) -> {
                var memory = p.device.getVirtualMemory();
                long[] made = {memory.reserve(PAGE), owner.device.getVirtualMemory().create(PAGE)};
                Map<String, Runnable> calls = new LinkedHashMap<>();
                calls.put("map", () -> memory.map(made[0], PAGE, made[1]));
                calls.put("access", () -> memory.setAccess(made[0], PAGE, q.device));
                calls.put("its end", () -> memory.removeAccess(made[0], PAGE, q.device));
                calls.put("unmap", () -> memory.unmap(made[0], PAGE));
                calls.put("release", () -> memory.release(made[1]));
                calls.put("unreserve", () -> memory.unreserve(made[0], PAGE));
                StringBuilder found = new StringBuilder();
                calls.forEach(
                    (name, call) -> {
                      Busy busy = of(p, q, stream).busy(stream);
                      String outcome = Probe.outcome(call);
                      found.append(name).append(' ').append(outcome).append(' ');
                      found.append(busy.state()).append("; ");
                      settle(p, q);
                    });
                p.say(
                    "memory of %s beside work on %s"
                        .formatted(owner == p ? "one" : "the other", on),
                    found);
              });
    }
  }
}
