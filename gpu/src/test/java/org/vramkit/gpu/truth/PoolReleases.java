package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;
import static org.vramkit.gpu.truth.Probe.UNIT;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;

/** After which calls a pool has released memory, and what of it. */
final class PoolReleases implements Topic {
  @Override
  public void run(Lab lab) {
    List<Calls.Call> calls = Calls.all();
    for (int i = 0; i < calls.size(); i++) {
      Calls.Call call = calls.get(i);
      lab.probe("TS" + i, p -> freed(p, call));
      lab.probe("TF" + i, p -> lowered(p, call));
    }
    lab.probe("TB", PoolReleases::boundaries);
    lab.probe("TE", PoolReleases::events);
    lab.probe("TO", PoolReleases::orders);
    lab.probe("TC", PoolReleases::closes);
    lab.probe("TP", PoolReleases::parts);
    lab.probe("TH", PoolReleases::holes);
    lab.probe("TM", PoolReleases::limits);
    lab.probe("TN", PoolReleases::neighbours);
    lab.probe("TD", PoolReleases::defaultPool);
    lab.probe("TG", PoolReleases::graphs);
  }

  /** Memory was freed on a stream that has no more work, and the host has not waited for it. */
  private static void freed(Probe p, Calls.Call call) {
    Runnable action = call.prepare().apply(p);
    DriverPool pool = p.pool();
    Stream stream = p.stream();
    long address = p.pooled(pool, MIB, stream);
    p.device.synchronize();
    p.freePooled(pool, address, stream);
    String outcome = Probe.outcome(action);
    p.say("threshold 0, after a free and " + call.name(), outcome + "; " + Probe.used(pool));
    pool.trim(0);
    p.say("then a trim", Probe.used(pool));
  }

  /** A threshold acts at the next synchronization, whatever for. */
  private static void lowered(Probe p, Calls.Call call) {
    Runnable action = call.prepare().apply(p);
    DriverPool pool = p.pool();
    pool.setReleaseThreshold(Long.MAX_VALUE);
    Stream stream = p.stream();
    p.freePooled(pool, p.pooled(pool, MIB, stream), stream);
    p.device.synchronize();
    pool.setReleaseThreshold(0);
    String outcome = Probe.outcome(action);
    p.say("threshold lowered to 0, then " + call.name(), outcome + "; " + Probe.used(pool));
  }

  private static void boundaries(Probe p) {
    for (long threshold :
        new long[] {1, UNIT - 1, UNIT, UNIT + 1, 2 * UNIT - 1, 2 * UNIT, 3 * UNIT - 1, 3 * UNIT}) {
      DriverPool pool = p.pool();
      pool.setReleaseThreshold(threshold);
      Stream stream = p.stream();
      long[] at = new long[3];
      for (int i = 0; i < at.length; i++) {
        at[i] = p.pooled(pool, UNIT, stream);
      }
      stream.synchronize();
      for (int i : new int[] {1, 0, 2}) {
        p.freePooled(pool, at[i], stream);
        stream.synchronize();
        p.say(
            "threshold %d, three of 32 MiB, the free of number %d and a wait"
                .formatted(threshold, i),
            Probe.used(pool));
      }
    }
  }

  private static void events(Probe p) {
    DriverPool pool = p.pool();
    Stream stream = p.stream();
    Event early = p.event(stream);
    p.freePooled(pool, p.pooled(pool, MIB, stream), stream);
    early.synchronize();
    p.say("a wait for an event before the free", Probe.used(pool));
    Event late = p.event(stream);
    late.isComplete();
    p.say("a query of one after it", Probe.used(pool));
    Stream other = p.stream();
    other.waitFor(late);
    other.isIdle();
    p.say("a query of another stream that waits for it", Probe.used(pool));
    other.synchronize();
    p.say("a wait for that stream", Probe.used(pool));
    long second = p.pooled(pool, MIB, stream);
    p.freePooled(pool, second, stream);
    Event closed = p.event(stream);
    other.waitFor(closed);
    closed.close();
    Event behind = p.event(other);
    behind.synchronize();
    p.say("a wait for an event behind one that is closed", Probe.used(pool));
    p.freePooled(pool, p.pooled(pool, MIB, stream), stream);
    Event again = p.event(stream);
    again.record(other);
    again.synchronize();
    p.say("a wait for an event recorded anew elsewhere", Probe.used(pool));
    stream.synchronize();
    p.say("a wait for the stream", Probe.used(pool));
  }

  private static void orders(Probe p) {
    Stream main = p.device.getDefaultStream();
    Stream blocking = p.stream(StreamKind.BLOCKING);
    Stream second = p.stream(StreamKind.BLOCKING);
    Stream none = p.stream();
    Stream[] all = {main, blocking, second, none};
    String[] names = {"default", "blocking", "second blocking", "non-blocking"};
    for (int i = 0; i < all.length; i++) {
      for (int j = 0; j < all.length; j++) {
        if (i != j) {
          DriverPool pool = p.pool();
          p.freePooled(pool, p.pooled(pool, MIB, all[i]), all[i]);
          String what = "freed on the %s stream, ".formatted(names[i]);
          all[j].synchronize();
          p.say(what + "a wait for the idle %s one".formatted(names[j]), Probe.used(pool));
          all[j].fill(p.lab.work, (byte) 1, 16);
          all[j].synchronize();
          p.say(what + "a fill on the %s one and a wait".formatted(names[j]), Probe.used(pool));
          p.event(all[j]).synchronize();
          p.say(what + "a wait for an event of it", Probe.used(pool));
          p.device.synchronize();
        }
      }
    }
  }

  private static void closes(Probe p) {
    DriverPool pool = p.pool();
    Stream stream = p.stream();
    long address = p.pooled(pool, MIB, stream);
    p.freePooled(pool, address, stream);
    Stream other = p.stream();
    other.close();
    p.say("freed, another stream closed", Probe.used(pool));
    Stream waiting = p.stream();
    waiting.waitFor(p.event(stream));
    waiting.close();
    p.say("freed, a stream closed that waits for an event", Probe.used(pool));
    p.stream();
    p.say("a new stream", Probe.used(pool));
    stream.synchronize();
    long second = p.pooled(pool, MIB, stream);
    stream.synchronize();
    stream.close();
    p.say("a stream closed whose block is alive", Probe.used(pool));
    p.freePooled(pool, second, waiting.isClosed() ? p.stream() : waiting);
    p.say("its block freed on another", Probe.used(pool));
    p.device.synchronize();
    p.say("a wait for the device", Probe.used(pool));
  }

  /** Growths of several units, of which only a part is used. */
  private static void parts(Probe p) {
    for (long grown : new long[] {2, 3, 8}) {
      for (long used : new long[] {1, UNIT, UNIT + 1}) {
        DriverPool pool = p.pool();
        pool.setReleaseThreshold(Long.MAX_VALUE);
        Stream stream = p.stream();
        p.freePooled(pool, p.pooled(pool, grown * UNIT, stream), stream);
        stream.synchronize();
        long address = p.pooled(pool, used, stream);
        String what = grown + " units grown at once, " + used + " bytes used: ";
        pool.trim(0);
        p.say(what + "a trim to 0", Probe.used(pool));
        pool.setReleaseThreshold(0);
        stream.synchronize();
        p.say(what + "threshold 0 and a wait", Probe.used(pool));
        p.freePooled(pool, address, stream);
        stream.synchronize();
        p.say(what + "all freed", Probe.used(pool));
      }
    }
  }

  /** Settled holes of several sizes, and which of them a block takes. */
  private static void holes(Probe p) {
    DriverPool pool = p.pool();
    pool.setReleaseThreshold(Long.MAX_VALUE);
    Stream stream = p.stream();
    long[] sizes = {6 * MIB, MIB, 3 * MIB, MIB, 9 * MIB, MIB, 5 * MIB, MIB};
    long[] at = new long[sizes.length];
    for (int i = 0; i < sizes.length; i++) {
      at[i] = p.pooled(pool, sizes[i], stream);
    }
    for (int i = 0; i < sizes.length; i += 2) {
      p.freePooled(pool, at[i], stream);
    }
    Stream other = p.stream();
    p.say("not waited for, another stream: 2 MiB at", offset(p, pool, 2 * MIB, other, at[0]));
    stream.synchronize();
    for (long bytes : new long[] {4 * MIB, 2 * MIB, MIB, 8 * MIB, 6 * MIB, 512}) {
      p.say("holes of 6, 3, 9, 5 MiB: " + bytes + " at", offset(p, pool, bytes, other, at[0]));
    }
    p.say("the pool", Probe.used(pool));
  }

  private static String offset(Probe p, DriverPool pool, long bytes, Stream stream, long base) {
    return (p.pooled(pool, bytes, stream) - base) + "; " + Probe.used(pool);
  }

  private static void limits(Probe p) {
    for (long most : new long[] {UNIT, 2 * UNIT, 3 * UNIT + 1}) {
      for (boolean internal : new boolean[] {true, false}) {
        DriverPool pool = p.pool(most);
        pool.setReuse(DriverPoolReuse.INTERNAL_DEPENDENCIES, internal);
        pool.setReuse(DriverPoolReuse.OPPORTUNISTIC, false);
        String what = "at most %d, dependencies %s: ".formatted(most, internal);
        Stream stream = p.stream();
        Stream other = p.stream();
        long first = p.pooled(pool, UNIT, stream);
        Busy busy = p.busy(stream);
        p.freePooled(pool, first, stream);
        p.call(what + "alloc of all on another", () -> p.pooled(pool, most, other));
        p.say("the work", busy.state() + "; " + Probe.used(pool));
        p.call(what + "alloc of one more", () -> p.pooled(pool, 1, other));
        p.device.synchronize();
        p.say("waited", Probe.used(pool));
        p.call(what + "alloc of more than it may have", () -> p.pooled(pool, most + UNIT, other));
        p.say("then", Probe.used(pool));
      }
    }
  }

  /** Two pools beside each other. */
  private static void neighbours(Probe p) {
    DriverPool first = p.pool();
    DriverPool second = p.pool();
    Stream stream = p.stream();
    Stream other = p.stream();
    p.freePooled(first, p.pooled(first, MIB, stream), stream);
    p.freePooled(second, p.pooled(second, MIB, other), other);
    stream.synchronize();
    p.say("freed on two streams, one waited for", Probe.used(first) + "; " + Probe.used(second));
    first.trim(0);
    p.say("the first trimmed", Probe.used(first) + "; " + Probe.used(second));
    first.close();
    p.say("the first closed", Probe.used(second));
    p.event(other).synchronize();
    p.say("an event of the other waited for", Probe.used(second));
    p.freePooled(second, p.pooled(second, MIB, stream), other);
    stream.synchronize();
    p.say("freed on another than allocated, that waited for", Probe.used(second));
    other.synchronize();
    p.say("the freeing one waited for", Probe.used(second));
  }

  private static void defaultPool(Probe p) {
    var ordered = p.device.getStreamOrderedMemory();
    Map<String, Runnable> waits = new LinkedHashMap<>();
    Stream stream = p.stream();
    Stream other = p.stream();
    Stream main = p.device.getDefaultStream();
    waits.put("nothing", () -> {});
    waits.put("a wait for another stream", other::synchronize);
    waits.put("a wait for the default stream", main::synchronize);
    waits.put("a query", stream::isIdle);
    waits.put("a plain free", () -> p.freePlain(p.plain(1)));
    waits.put("a wait", stream::synchronize);
    waits.forEach(
        (name, wait) -> {
          long before = p.free();
          ordered.free(ordered.allocate(33 * MIB, stream), stream);
          wait.run();
          p.say("the default pool, freed, " + name, p.free() - before);
          p.device.synchronize();
          p.say("the device waited for", p.free() - before);
        });
  }

  private static void graphs(Probe p) {
    DriverPool pool = p.pool();
    Stream stream = p.stream();
    Stream other = p.stream();
    var graph = p.graph(other, () -> other.fill(p.lab.work, (byte) 1, 16));
    p.freePooled(pool, p.pooled(pool, MIB, stream), stream);
    graph.launch(stream);
    p.say("freed, a graph launched behind it", Probe.used(pool));
    p.event(stream).synchronize();
    p.say("an event behind that waited for", Probe.used(pool));
    p.freePooled(pool, p.pooled(pool, MIB, stream), stream);
    p.capture(other);
    p.call("captured on another: a wait for the stream", stream::synchronize);
    p.say("end", p.endCapture(other));
    p.say("the pool", Probe.used(pool));
    var scope = p.device.getGraphs().relax();
    p.capture(other);
    p.call("captured and relaxed: a wait for the stream", stream::synchronize);
    p.say("the pool", Probe.used(pool));
    p.say("end", p.endCapture(other));
    scope.close();
  }
}
