package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;

/** When a pool reuses memory that was freed in stream order, for each set of policies. */
final class PoolReuse implements Topic {
  private static final long SIZE = 64 * MIB;

  @Override
  public void run(Lab lab) {
    int i = 0;
    for (Set<DriverPoolReuse> policies : sets()) {
      String id = String.valueOf(i++);
      lab.probe("UB" + id, p -> busy(p, policies));
      lab.probe("UE" + id, p -> event(p, policies));
      lab.probe("UW" + id, p -> waited(p, policies));
      lab.probe("US" + id, p -> same(p, policies));
      lab.probe("UD" + id, p -> done(p, policies));
      lab.probe("UH" + id, p -> thirdStream(p, policies));
    }
    lab.probe("UL", PoolReuse::legacy);
    lab.probe("UO", PoolReuse::otherPool);
    lab.probe("UP", PoolReuse::parts);
  }

  static List<Set<DriverPoolReuse>> sets() {
    List<Set<DriverPoolReuse>> sets = new ArrayList<>();
    DriverPoolReuse[] all = DriverPoolReuse.values();
    for (int bits = 0; bits < 1 << all.length; bits++) {
      Set<DriverPoolReuse> set = EnumSet.noneOf(DriverPoolReuse.class);
      for (int i = 0; i < all.length; i++) {
        if ((bits & 1 << i) != 0) {
          set.add(all[i]);
        }
      }
      sets.add(set);
    }
    return sets;
  }

  private static DriverPool pool(Probe p, Set<DriverPoolReuse> policies) {
    DriverPool pool = p.pool();
    pool.setReleaseThreshold(Long.MAX_VALUE);
    for (DriverPoolReuse each : DriverPoolReuse.values()) {
      pool.setReuse(each, policies.contains(each));
    }
    return pool;
  }

  /** Says what an alloc on a stream finds of memory that was freed before. */
  private static void next(
      Probe p, String when, DriverPool pool, long freed, Busy busy, Stream stream) {
    long reserved = pool.getStatistics().reservedBytes();
    long next = p.pooled(pool, SIZE, stream);
    String called = busy.state();
    long grown = pool.getStatistics().reservedBytes() - reserved;
    stream.fill(next, (byte) 1, 16);
    stream.synchronize();
    p.say(
        when + ": same address; grown by; the call; a fill of it",
        (next == freed) + "; " + grown + "; " + called + "; " + busy.state());
  }

  private static void busy(Probe p, Set<DriverPoolReuse> policies) {
    DriverPool pool = pool(p, policies);
    Stream first = p.stream();
    Stream second = p.stream();
    long freed = p.pooled(pool, SIZE, first);
    Busy busy = p.busy(first);
    p.freePooled(pool, freed, first);
    next(p, policies + ", freed behind work", pool, freed, busy, second);
  }

  private static void event(Probe p, Set<DriverPoolReuse> policies) {
    DriverPool pool = pool(p, policies);
    Stream first = p.stream();
    Stream second = p.stream();
    long freed = p.pooled(pool, SIZE, first);
    Busy busy = p.busy(first);
    p.freePooled(pool, freed, first);
    second.waitFor(p.event(first));
    next(p, policies + ", freed behind work, the stream waits", pool, freed, busy, second);
  }

  private static void waited(Probe p, Set<DriverPoolReuse> policies) {
    DriverPool pool = pool(p, policies);
    Stream first = p.stream();
    long freed = p.pooled(pool, SIZE, first);
    Busy busy = p.busy(first);
    p.freePooled(pool, freed, first);
    first.synchronize();
    next(p, policies + ", freed and waited for", pool, freed, busy, p.stream());
  }

  private static void same(Probe p, Set<DriverPoolReuse> policies) {
    DriverPool pool = pool(p, policies);
    Stream first = p.stream();
    long freed = p.pooled(pool, SIZE, first);
    Busy busy = p.busy(first);
    p.freePooled(pool, freed, first);
    next(p, policies + ", freed behind work, same stream", pool, freed, busy, first);
  }

  /** Work that has ended, without a wait for its stream. */
  private static void done(Probe p, Set<DriverPoolReuse> policies) {
    DriverPool pool = pool(p, policies);
    Stream first = p.stream();
    long freed = p.pooled(pool, SIZE, first);
    first.synchronize();
    p.freePooled(pool, freed, first);
    Stream second = p.stream();
    second.waitFor(p.event(first));
    Busy busy = p.busy(second);
    second.synchronize();
    next(p, policies + ", freed and done by a wait of another stream", pool, freed, busy, second);
  }

  private static void thirdStream(Probe p, Set<DriverPoolReuse> policies) {
    DriverPool pool = pool(p, policies);
    Stream first = p.stream();
    Stream second = p.stream();
    Stream third = p.stream();
    long freed = p.pooled(pool, SIZE, first);
    Busy busy = p.busy(first);
    p.freePooled(pool, freed, first);
    second.waitFor(p.event(first));
    third.waitFor(p.event(second));
    next(p, policies + ", freed behind work, ordered by two events", pool, freed, busy, third);
  }

  private static void legacy(Probe p) {
    DriverPool pool = pool(p, EnumSet.noneOf(DriverPoolReuse.class));
    Stream main = p.device.getDefaultStream();
    Stream blocking = p.stream(StreamKind.BLOCKING);
    long freed = p.pooled(pool, SIZE, main);
    Busy busy = p.busy(main);
    p.freePooled(pool, freed, main);
    next(p, "no policy, freed on the default stream, blocking stream", pool, freed, busy, blocking);
    DriverPool second = pool(p, EnumSet.allOf(DriverPoolReuse.class));
    long again = p.pooled(second, SIZE, blocking);
    Busy work = p.busy(blocking);
    p.freePooled(second, again, blocking);
    next(p, "all policies, freed on a blocking stream, default stream", second, again, work, main);
  }

  private static void otherPool(Probe p) {
    Stream stream = p.stream();
    DriverPool first = pool(p, EnumSet.allOf(DriverPoolReuse.class));
    DriverPool second = pool(p, EnumSet.allOf(DriverPoolReuse.class));
    long address = p.pooled(first, SIZE, stream);
    p.call("free through another pool", () -> second.free(address, stream));
    p.say("the pool; the other", Probe.used(first) + "; " + Probe.used(second));
    long plain = p.plain(SIZE);
    p.call("free of plain memory through a pool", () -> first.free(plain, stream));
    long before = p.free();
    p.call("wait", stream::synchronize);
    p.say("free memory", p.free() - before);
    p.say("the pool", Probe.used(first));
  }

  private static void parts(Probe p) {
    DriverPool pool = pool(p, EnumSet.allOf(DriverPoolReuse.class));
    Stream stream = p.stream();
    long[] at = new long[3];
    for (int i = 0; i < at.length; i++) {
      at[i] = p.pooled(pool, SIZE, stream);
    }
    p.freePooled(pool, at[1], stream);
    p.freePooled(pool, at[0], stream);
    for (long bytes : new long[] {MIB, 63 * MIB, 64 * MIB}) {
      long next = p.pooled(pool, bytes, stream);
      p.say("three of 64 MiB, two freed: " + bytes + " is at + MiB", (next - at[0]) / MIB);
    }
    stream.synchronize();
    p.say("then", Probe.used(pool));
    DriverPool other = pool(p, EnumSet.allOf(DriverPoolReuse.class));
    for (int i = 0; i < at.length; i++) {
      at[i] = p.pooled(other, SIZE, stream);
    }
    for (long each : at) {
      p.freePooled(other, each, stream);
    }
    p.pooled(other, 2 * SIZE, stream);
    p.say("three of 64 MiB freed, 128 MiB on the same stream", Probe.used(other));
  }
}
