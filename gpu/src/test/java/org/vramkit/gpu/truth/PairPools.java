package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;

import java.util.List;
import java.util.Set;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamOrderedMemory;

/** Pools whose memory the streams of both devices allocate, use and free. */
final class PairPools implements PairTopic {
  private static final long SIZE = 64 * MIB;

  @Override
  public void run(Lab first, Lab second) {
    int i = 0;
    for (Set<DriverPoolReuse> policies : PoolReuse.sets()) {
      String id = String.valueOf(i++);
      first.probe("2PR" + id, second, (p, q) -> reuse(p, q, policies));
      first.probe("2PT" + id, second, (p, q) -> third(p, q, policies));
    }
    first.probe("2PA", second, PairPools::access);
    first.probe("2PD", second, PairPools::defaultPools);
    first.probe("2PF", second, PairPools::frees);
    first.probe("2PP", second, PairPools::plainFrees);
    first.probe("2PW", second, PairPools::waits);
    first.probe("2PB", second, PairPools::behindWork);
    first.probe("2PG", second, PairPools::growth);
  }

  private static DriverPool pool(Probe p, Probe q, Set<DriverPoolReuse> policies) {
    DriverPool pool = p.pool();
    pool.setReleaseThreshold(Long.MAX_VALUE);
    pool.setAccess(q.device, true);
    for (DriverPoolReuse each : DriverPoolReuse.values()) {
      pool.setReuse(each, policies.contains(each));
    }
    return pool;
  }

  private enum Between {
    NOTHING,
    EVENT,
    WAIT
  }

  /** Memory that a stream of one device has freed, for one of the other. */
  private static void reuse(Probe p, Probe q, Set<DriverPoolReuse> policies) {
    for (boolean back : new boolean[] {false, true}) {
      for (Between between : Between.values()) {
        DriverPool pool = pool(p, q, policies);
        Stream ours = p.stream();
        Stream from = back ? q.stream() : ours;
        Stream to = back ? ours : q.stream();
        long freed = p.pooled(pool, SIZE, ours);
        ours.synchronize();
        Busy busy = (back ? q : p).busy(from);
        p.freePooled(pool, freed, from);
        if (between == Between.EVENT) {
          to.waitFor((back ? q : p).event(from));
        } else if (between == Between.WAIT) {
          from.synchronize();
        }
        long next = p.pooled(pool, SIZE, to);
        p.say(
            policies + ", freed behind work of " + (back ? "the other; " : "itself; ") + between,
            "same address " + (next == freed) + "; " + Probe.used(pool) + "; " + busy.state());
        q.device.synchronize();
      }
    }
  }

  /** An event to the other device and one back order a second stream. */
  private static void third(Probe p, Probe q, Set<DriverPoolReuse> policies) {
    DriverPool pool = pool(p, q, policies);
    Stream ours = p.stream();
    Stream theirs = q.stream();
    Stream second = p.stream();
    long freed = p.pooled(pool, SIZE, ours);
    Busy busy = p.busy(ours);
    p.freePooled(pool, freed, ours);
    theirs.waitFor(p.event(ours));
    second.waitFor(q.event(theirs));
    long next = p.pooled(pool, SIZE, second);
    String called = busy.state();
    second.fill(next, (byte) 1, 16);
    second.synchronize();
    p.say(
        policies + ", by way of the other: same address; the call; a fill of it",
        (next == freed) + "; " + called + "; " + busy.state());
  }

  private static void access(Probe p, Probe q) {
    DriverPool pool = p.pool();
    Stream ours = p.stream();
    Stream theirs = q.stream();
    p.call("revoked where never granted", () -> pool.setAccess(q.device, false));
    p.call("revoked from its own device", () -> pool.setAccess(p.device, false));
    p.call("granted to its own device", () -> pool.setAccess(p.device, true));
    long address = p.pooled(pool, MIB, theirs);
    theirs.synchronize();
    p.call("not granted: fill by the other", () -> theirs.fill(address, (byte) 1, 16));
    p.call("copy by the other", () -> theirs.copy(q.lab.work, address, 16));
    p.call("fill by its device", () -> ours.fill(address, (byte) 1, 16));
    PairWaiting.open(p, q, true);
    p.call("access both ways: fill by the other", () -> theirs.fill(address, (byte) 1, 16));
    PairWaiting.open(p, q, false);
    p.call("granted", () -> pool.setAccess(q.device, true));
    p.call("granted again", () -> pool.setAccess(q.device, true));
    p.call("fill by the other", () -> theirs.fill(address, (byte) 1, 16));
    long later = p.pooled(pool, MIB, ours);
    ours.synchronize();
    p.call("fill by the other of a later block", () -> theirs.fill(later, (byte) 1, 16));
    theirs.synchronize();
    p.call("revoked", () -> pool.setAccess(q.device, false));
    p.call("fill by the other", () -> theirs.fill(address, (byte) 1, 16));
    p.call("copy by the other", () -> theirs.copy(address, q.lab.work, 16));
    p.call("fill by its device", () -> ours.fill(address, (byte) 1, 16));
    p.call("both streams are idle after a wait", () -> idle(ours, theirs));
  }

  private static void idle(Stream ours, Stream theirs) {
    ours.synchronize();
    theirs.synchronize();
  }

  private static void defaultPools(Probe p, Probe q) {
    StreamOrderedMemory mine = p.device.getStreamOrderedMemory();
    Stream ours = p.stream();
    Stream theirs = q.stream();
    p.call("alloc of the default pool on the other's stream", () -> mine.allocate(MIB, theirs));
    long address = mine.allocate(MIB, ours);
    ours.synchronize();
    p.call("fill by the other", () -> theirs.fill(address, (byte) 1, 16));
    p.call("free on the other's stream", () -> mine.free(address, theirs));
    p.call("free again", () -> mine.free(address, ours));
    theirs.synchronize();
    p.call("free again after a wait", () -> mine.free(address, theirs));
  }

  /** Memory that is freed through another pool, another device, or on another's stream. */
  private static void frees(Probe p, Probe q) {
    Stream ours = p.stream();
    Stream theirs = q.stream();
    DriverPool theirPool = q.pool();
    DriverPool ourPool = p.pool();
    StreamOrderedMemory mine = p.device.getStreamOrderedMemory();
    for (Stream stream : List.of(ours, theirs)) {
      String on = stream == ours ? " on one's stream" : " on the other's stream";
      for (StreamOrderedMemory through : List.of(mine, ourPool, theirPool)) {
        long address = q.pooled(theirPool, MIB, theirs);
        theirs.synchronize();
        String outcome = Probe.outcome(() -> through.free(address, stream));
        String used = Probe.used(theirPool);
        stream.synchronize();
        p.say(
            "the other's pool memory freed through "
                + (through == mine ? "one's default pool" : "a pool of ")
                + (through == mine ? "" : through == ourPool ? "one" : "the other")
                + on,
            outcome + "; " + used + "; waited " + Probe.used(theirPool));
        p.call("again on the other's", () -> theirPool.free(address, theirs));
      }
      long plain = q.plain(4 * MIB);
      long free = q.free();
      p.call("the other's plain memory" + on, () -> mine.free(plain, stream));
      p.say("free memory of the other", q.free() - free);
      stream.synchronize();
      p.say("after a wait", q.free() - free);
      p.call("plain free of it then", () -> q.freePlain(plain));
    }
  }

  private static void plainFrees(Probe p, Probe q) {
    Stream theirs = q.stream();
    DriverPool pool = q.pool();
    long address = q.pooled(pool, MIB, theirs);
    theirs.synchronize();
    p.call("plain free through one of the other's pool", () -> p.device.getMemory().free(address));
    p.say("the pool", Probe.used(pool));
    p.call("again through the other", () -> q.device.getMemory().free(address));
    p.call("in stream order then", () -> pool.free(address, theirs));
    long second = q.pooled(pool, MIB, theirs);
    Busy busy = q.busy(theirs);
    p.call("the same beside work of the other", () -> p.device.getMemory().free(second));
    p.say("the work", busy.state());
  }

  /** When a pool with the threshold 0 releases what a stream has freed. */
  private static void waits(Probe p, Probe q) {
    for (int i = 0; i < 7; i++) {
      for (Probe freeing : List.of(p, q)) {
        DriverPool pool = p.pool();
        pool.setAccess(q.device, true);
        Stream ours = p.stream();
        Stream theirs = q.stream();
        Stream on = freeing == p ? ours : theirs;
        long address = p.pooled(pool, SIZE, ours);
        ours.synchronize();
        p.freePooled(pool, address, on);
        Event event = freeing.event(on);
        String name =
            switch (i) {
              case 0 -> "a wait for one's stream";
              case 1 -> "a wait for the other's stream";
              case 2 -> "a wait for one's device";
              case 3 -> "a wait for the other's device";
              case 4 -> "a wait for the event";
              case 5 -> "a wait for one's default stream";
              default -> "a trim";
            };
        switch (i) {
          case 0 -> ours.synchronize();
          case 1 -> theirs.synchronize();
          case 2 -> p.device.synchronize();
          case 3 -> q.device.synchronize();
          case 4 -> event.synchronize();
          case 5 -> p.device.getDefaultStream().synchronize();
          default -> pool.trim(0);
        }
        String freed = freeing == p ? "one's stream, " : "the other's stream, ";
        p.say("threshold 0, freed on " + freed + name, Probe.used(pool));
        q.device.synchronize();
        p.device.synchronize();
        p.say("after waits for both devices", Probe.used(pool));
      }
    }
  }

  private static void behindWork(Probe p, Probe q) {
    DriverPool pool = p.pool();
    Stream ours = p.stream();
    Stream theirs = q.stream();
    long address = p.pooled(pool, Probe.UNIT, ours);
    ours.synchronize();
    Busy busy = q.busy(theirs);
    p.call("free on the other's busy stream", () -> p.freePooled(pool, address, theirs));
    p.say("the pool; the work", Probe.used(pool) + "; " + busy.state());
    ours.synchronize();
    p.say("a wait for one's stream", Probe.used(pool) + "; " + busy.state());
    pool.trim(0);
    p.say("a trim", Probe.used(pool) + "; " + busy.state());
    theirs.synchronize();
    p.say("a wait for the other's stream", Probe.used(pool));
    pool.trim(0);
    p.say("a trim", Probe.used(pool));
  }

  private static void growth(Probe p, Probe q) {
    for (boolean granted : new boolean[] {false, true}) {
      DriverPool pool = p.pool();
      pool.setAccess(q.device, granted);
      Stream stream = q.stream();
      long before = p.free();
      long others = q.free();
      long address = p.pooled(pool, SIZE, stream);
      p.say(
          "growth on the other's stream, " + (granted ? "granted" : "not granted"),
          Probe.used(pool) + "; " + (p.free() - before) + "; " + (q.free() - others));
      p.freePooled(pool, address, stream);
      stream.synchronize();
      p.say("freed and waited for", Probe.used(pool) + "; " + (p.free() - before));
    }
  }
}
