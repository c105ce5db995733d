package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;
import static org.vramkit.gpu.truth.Probe.PAGE;
import static org.vramkit.gpu.truth.Probe.UNIT;

import java.util.LinkedHashMap;
import java.util.Map;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.Stream;

/** Memory that runs out, and what the driver then takes from where. */
final class Scarcity implements Topic {
  private static final long HELD = 1280 * MIB;
  private static final long LEFT = 528 * MIB;
  private static final long WANTED = 1024 * MIB;

  private interface Demand {
    void make(Probe probe);
  }

  @Override
  public void run(Lab lab) {
    Map<String, Demand> demands = new LinkedHashMap<>();
    demands.put("plain memory", p -> p.plain(WANTED));
    demands.put("physical memory", p -> p.physical(WANTED));
    demands.put("memory of another pool", p -> p.pooled(p.pool(), WANTED, p.stream()));
    demands.put("memory of the default pool", Scarcity::ofDefaultPool);
    demands.put("managed memory", p -> p.managed(WANTED));
    int i = 0;
    for (Map.Entry<String, Demand> each : demands.entrySet()) {
      String id = String.valueOf(i++);
      String name = each.getKey();
      lab.probe("EU" + id, p -> unused(p, name, each.getValue()));
      lab.probe("EF" + id, p -> freed(p, name, each.getValue()));
      lab.probe("EB" + id, p -> behindWork(p, name, each.getValue()));
      lab.probe("EP" + id, p -> partly(p, name, each.getValue()));
      lab.probe("EC" + id, p -> closed(p, name, each.getValue()));
      lab.probe("ED" + id, p -> heldByDefault(p, name, each.getValue()));
    }
    lab.probe("EO", Scarcity::ownPool);
    lab.probe("EM", Scarcity::mapped);
    lab.probe("EL", Scarcity::last);
  }

  private static void ofDefaultPool(Probe p) {
    Stream stream = p.stream();
    var pool = p.device.getStreamOrderedMemory();
    pool.free(pool.allocate(WANTED, stream), stream);
    p.device.synchronize();
  }

  /** Returns a pool without a threshold, beside which little memory is left. */
  private static DriverPool scarce(Probe p) {
    DriverPool pool = p.pool();
    pool.setReleaseThreshold(Long.MAX_VALUE);
    p.plain(p.free() - HELD - LEFT);
    return pool;
  }

  private static void unused(Probe p, String name, Demand demand) {
    DriverPool pool = scarce(p);
    Stream stream = p.stream();
    p.freePooled(pool, p.pooled(pool, HELD, stream), stream);
    stream.synchronize();
    String outcome = Probe.outcome(() -> demand.make(p));
    p.say("a pool has what is wanted, unused: " + name, outcome + "; " + Probe.used(pool));
  }

  private static void freed(Probe p, String name, Demand demand) {
    DriverPool pool = scarce(p);
    Stream stream = p.stream();
    p.freePooled(pool, p.pooled(pool, HELD, stream), stream);
    String outcome = Probe.outcome(() -> demand.make(p));
    p.say("freed, but not waited for: " + name, outcome + "; " + Probe.used(pool));
    stream.synchronize();
    p.say("waited for then", Probe.outcome(() -> demand.make(p)) + "; " + Probe.used(pool));
  }

  private static void behindWork(Probe p, String name, Demand demand) {
    DriverPool pool = scarce(p);
    Stream stream = p.stream();
    long address = p.pooled(pool, HELD, stream);
    Busy busy = p.busy(stream);
    p.freePooled(pool, address, stream);
    String outcome = Probe.outcome(() -> demand.make(p));
    p.say("freed behind work: " + name, outcome + "; " + Probe.used(pool) + "; " + busy.state());
  }

  private static void partly(Probe p, String name, Demand demand) {
    DriverPool pool = scarce(p);
    Stream stream = p.stream();
    p.freePooled(pool, p.pooled(pool, HELD, stream), stream);
    stream.synchronize();
    p.pooled(pool, 1, stream);
    String outcome = Probe.outcome(() -> demand.make(p));
    p.say("a byte of it is used: " + name, outcome + "; " + Probe.used(pool));
  }

  private static void closed(Probe p, String name, Demand demand) {
    DriverPool pool = scarce(p);
    Stream stream = p.stream();
    p.freePooled(pool, p.pooled(pool, HELD, stream), stream);
    pool.close();
    p.say("freed and the pool closed: " + name, Probe.outcome(() -> demand.make(p)));
  }

  private static void heldByDefault(Probe p, String name, Demand demand) {
    p.plain(p.free() - HELD - LEFT);
    Stream stream = p.stream();
    var pool = p.device.getStreamOrderedMemory();
    pool.free(pool.allocate(HELD, stream), stream);
    p.say("the default pool, not waited for: " + name, Probe.outcome(() -> demand.make(p)));
    p.device.synchronize();
    p.say("waited for", Probe.outcome(() -> demand.make(p)));
  }

  /** The pool itself needs more than there is beside what it holds. */
  private static void ownPool(Probe p) {
    for (boolean internal : new boolean[] {true, false}) {
      for (boolean other : new boolean[] {true, false}) {
        DriverPool pool = scarce(p);
        pool.setReuse(DriverPoolReuse.INTERNAL_DEPENDENCIES, internal);
        pool.setReuse(DriverPoolReuse.OPPORTUNISTIC, false);
        Stream stream = p.stream();
        Stream asking = other ? p.stream() : stream;
        long address = p.pooled(pool, HELD, stream);
        Busy busy = p.busy(stream);
        p.freePooled(pool, address, stream);
        String what =
            "dependencies " + internal + ", on " + (other ? "another" : "the") + " stream";
        for (long bytes : new long[] {HELD, LEFT / 2, HELD + LEFT / 4}) {
          String outcome = Probe.outcome(() -> p.pooled(pool, bytes, asking));
          p.say(what + ": " + bytes, outcome + "; " + Probe.used(pool) + "; " + busy.state());
        }
        p.end();
      }
    }
  }

  private static void mapped(Probe p) {
    long handle = p.physical(HELD);
    p.plain(p.free() - LEFT);
    p.call("all used: plain memory", () -> p.plain(WANTED));
    p.release(handle);
    p.call("physical memory released: plain memory", () -> p.freePlain(p.plain(WANTED)));
    long range = p.reserve(HELD);
    long again = p.physical(HELD);
    p.map(range, HELD, again);
    p.release(again);
    p.call("released, but mapped: plain memory", () -> p.plain(WANTED));
    p.unmap(range, HELD);
    p.call("unmapped: plain memory", () -> p.plain(WANTED));
  }

  /** What still works with almost no memory left. */
  private static void last(Probe p) {
    long small = p.plain(1);
    for (long bytes = p.free(); bytes >= PAGE; bytes /= 2) {
      long pages = bytes / PAGE * PAGE;
      while (Probe.outcome(() -> p.plain(pages)).equals("ok")) {
        // All of it.
      }
    }
    p.call("nothing left: plain memory of 1 byte, in a page", () -> p.plain(1));
    p.call("of 2 MiB", () -> p.plain(PAGE));
    p.call("physical memory", () -> p.physical(PAGE));
    p.call("of a pool", () -> p.pooled(p.pool(), 1, p.device.getDefaultStream()));
    p.call("page-locked memory", () -> p.pinned(MIB));
    p.call("managed memory", () -> p.managed(MIB));
    p.call("a reservation", () -> p.reserve(UNIT));
    p.call("an event", () -> p.event());
    p.call("a fill", () -> p.device.getDefaultStream().fill(small, (byte) 1, 1));
    p.call("a wait", p.device::synchronize);
    p.call("free", () -> p.freePlain(small));
  }
}
