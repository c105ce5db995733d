package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;
import static org.vramkit.gpu.truth.Probe.PAGE;
import static org.vramkit.gpu.truth.Probe.UNIT;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;

/** Units of a driver's pool, its figures, thresholds, trims and limits. */
final class Pools implements Topic {
  @Override
  public void run(Lab lab) {
    for (long bytes :
        new long[] {
          1,
          512,
          513,
          4096,
          MIB,
          PAGE,
          PAGE + 1,
          31 * MIB,
          UNIT,
          UNIT + 1,
          33 * MIB,
          2 * UNIT,
          65 * MIB,
          100 * MIB,
          1024 * MIB,
          1024 * MIB + 1
        }) {
      lab.probe("PA" + bytes, p -> empty(p, bytes));
    }
    lab.probe("PS", Pools::sequence);
    lab.probe("PT0", p -> threshold(p, "nothing", (s, e) -> {}));
    lab.probe("PT1", p -> threshold(p, "a query of the stream", (s, e) -> s.isIdle()));
    lab.probe("PT2", p -> threshold(p, "a query of an event", (s, e) -> e.isComplete()));
    lab.probe("PT3", p -> threshold(p, "a wait for the stream", (s, e) -> s.synchronize()));
    lab.probe("PT4", p -> threshold(p, "a wait for an event", (s, e) -> e.synchronize()));
    lab.probe("PT5", p -> threshold(p, "a wait for the device", (s, e) -> p.device.synchronize()));
    lab.probe("PT6", p -> threshold(p, "a wait for another stream", (s, e) -> other(p)));
    lab.probe(
        "PT7",
        p ->
            threshold(
                p,
                "a wait for the default stream",
                (s, e) -> p.device.getDefaultStream().synchronize()));
    lab.probe(
        "PT8",
        p ->
            threshold(
                p,
                "a copy to a heap buffer",
                (s, e) -> s.copyToHost(ByteBuffer.allocate(4), p.lab.work)));
    lab.probe(
        "PT9",
        p ->
            threshold(
                p,
                "a copy from a heap buffer",
                (s, e) -> s.copyToDevice(p.lab.work, ByteBuffer.allocate(4))));
    lab.probe(
        "PTA",
        p ->
            threshold(
                p,
                "a page-locked copy and its wait elsewhere",
                (s, e) -> p.lab.elsewhere(s::synchronize)));
    lab.probe("PTB", p -> threshold(p, "a plain free", (s, e) -> p.freePlain(p.plain(PAGE))));
    lab.probe("PTC", p -> threshold(p, "memory info", (s, e) -> p.free()));
    lab.probe("PTD", p -> threshold(p, "the close of the stream", (s, e) -> s.close()));
    for (String where : new String[] {"", "its stream is busy", "another is busy"}) {
      lab.probe("PG" + where.length(), p -> plainFree(p, true, where));
      lab.probe("PH" + where.length(), p -> plainFree(p, false, where));
    }
    lab.probe("PE0", p -> waitElsewhere(p, true));
    lab.probe("PE1", p -> waitElsewhere(p, false));
    lab.probe("PZ", Pools::closedStream);
    lab.probe("PR", Pools::trims);
    lab.probe("PM", Pools::most);
    lab.probe("PK", Pools::closesAfterFree);
    lab.probe("PC", Pools::closes);
    lab.probe("PX", Pools::refusals);
    lab.probe("PD", DefaultPool::basics);
    lab.probe("PF", Pools::figures);
    lab.probe("PO", Pools::scarce);
  }

  private static void empty(Probe p, long bytes) {
    DriverPool pool = p.pool();
    Stream stream = p.stream();
    long before = p.free();
    long address = p.pooled(pool, bytes, stream);
    p.say("alloc of " + bytes + " in an empty pool", Probe.used(pool));
    p.say("free memory", p.free() - before);
    p.freePooled(pool, address, stream);
    p.say("after its free", Probe.used(pool));
    stream.synchronize();
    p.say("after a wait", Probe.used(pool) + " free memory " + (p.free() - before));
  }

  private static void sequence(Probe p) {
    DriverPool pool = p.pool();
    pool.setReleaseThreshold(Long.MAX_VALUE);
    Stream stream = p.stream();
    long[] sizes = {1, 5 * MIB, 700, 20 * MIB, 3 * MIB, 40 * MIB, 100, PAGE, 64 * MIB, 33 * MIB};
    long[] at = new long[sizes.length];
    for (int i = 0; i < sizes.length; i++) {
      at[i] = p.pooled(pool, sizes[i], stream);
      p.say("alloc of " + sizes[i], Probe.peaks(pool));
    }
    for (int i : new int[] {3, 0, 5, 1}) {
      p.freePooled(pool, at[i], stream);
      p.say("free of " + sizes[i], Probe.peaks(pool));
    }
    long next = p.pooled(pool, 18 * MIB, stream);
    p.say(
        "alloc of 18 MiB on the same stream; at the address of the freed 20 MiB",
        Probe.peaks(pool) + "; " + (next == at[3]));
    p.freePooled(pool, next, stream);
    for (int i : new int[] {2, 4, 6, 7, 8, 9}) {
      p.freePooled(pool, at[i], stream);
    }
    stream.synchronize();
    p.say("all freed, waited", Probe.peaks(pool));
    for (long bytes : new long[] {100 * MIB, 40 * MIB, 10 * MIB, 0}) {
      pool.setReleaseThreshold(bytes);
      p.say("threshold of " + bytes, Probe.used(pool));
      stream.synchronize();
      p.say("then a wait", Probe.used(pool));
    }
  }

  private interface Then {
    void make(Stream stream, Event event);
  }

  /** A plain free of a pool's memory, whose use counts until a wait. */
  private static void plainFree(Probe p, boolean waited, String where) {
    DriverPool pool = p.pool();
    Stream stream = p.stream();
    long address = p.pooled(pool, MIB, stream);
    if (waited) {
      stream.synchronize();
    }
    if (!where.isEmpty()) {
      p.busy(where.startsWith("its") ? stream : p.stream());
    }
    p.device.getMemory().free(address);
    String when = "plain free, " + (waited ? "waited before" : "no wait before") + " " + where;
    p.say(when, Probe.used(pool));
    p.call("again", () -> p.device.getMemory().free(address));
    p.say("the pool", Probe.used(pool));
    long next = p.pooled(pool, MIB, stream);
    p.say("the next on the stream: same address", (next == address) + "; " + Probe.used(pool));
    stream.synchronize();
    p.say("after a wait", Probe.used(pool));
    p.freePooled(pool, next, stream);
    stream.synchronize();
    p.say("all freed and waited for", Probe.used(pool));
  }

  private static void waitElsewhere(Probe p, boolean synchronize) {
    DriverPool pool = p.pool();
    Stream stream = p.stream();
    Stream other = p.stream();
    p.freePooled(pool, p.pooled(pool, MIB, stream), stream);
    other.waitFor(p.event(stream));
    other.fill(p.lab.work, (byte) 1, 16);
    if (synchronize) {
      other.synchronize();
    } else {
      p.event(other).synchronize();
    }
    String how = synchronize ? "the stream" : "its event";
    p.say("freed, another stream waits, the host waits for " + how, Probe.used(pool));
    pool.trim(0);
    p.say("then a trim", Probe.used(pool));
  }

  private static void closedStream(Probe p) {
    DriverPool pool = p.pool();
    Stream stream = p.stream();
    long address = p.pooled(pool, MIB, stream);
    Busy busy = p.busy(stream);
    p.freePooled(pool, address, stream);
    stream.close();
    p.say("freed behind work, the stream closed", Probe.used(pool) + "; " + busy.state());
    Stream other = p.stream();
    while (!busy.isDone()) {
      other.fill(p.lab.work, (byte) 1, 16);
      other.synchronize();
    }
    p.say("once its work is done", Probe.used(pool));
    pool.trim(0);
    p.say("then a trim", Probe.used(pool));
    p.device.synchronize();
    p.say("a wait for the device", Probe.used(pool));
    DriverPool second = p.pool();
    Stream busyStream = p.stream();
    long last = p.pooled(second, MIB, busyStream);
    long before = p.free();
    p.busy(busyStream);
    p.freePooled(second, last, busyStream);
    second.close();
    p.say("freed behind work, the pool closed: free memory", p.free() - before);
    busyStream.synchronize();
    p.say("after a wait", p.free() - before);
  }

  private static void threshold(Probe p, String what, Then then) {
    DriverPool pool = p.pool();
    Stream stream = p.stream();
    long before = p.free();
    long address = p.pooled(pool, MIB, stream);
    p.freePooled(pool, address, stream);
    Event event = p.event(stream);
    Stream other = p.stream();
    other.waitFor(event);
    // Waits for another stream do not count for the pool.
    other.fill(p.lab.work, (byte) 1, 16);
    other.copyToHost(p.lab.flags, 0, p.lab.one, 1);
    then.make(stream, event);
    p.say(
        "threshold 0, after a free and " + what,
        Probe.used(pool) + " free memory " + (p.free() - before));
    String trimmed = Probe.outcome(() -> pool.trim(0));
    p.say("then a trim", trimmed + "; " + Probe.used(pool));
  }

  private static void other(Probe p) {
    Stream other = p.stream();
    other.fill(p.lab.work, (byte) 1, 16);
    other.synchronize();
  }

  private static void trims(Probe p) {
    DriverPool pool = p.pool();
    pool.setReleaseThreshold(Long.MAX_VALUE);
    Stream stream = p.stream();
    long[] at = new long[6];
    for (int i = 0; i < at.length; i++) {
      at[i] = p.pooled(pool, UNIT, stream);
    }
    p.say("six of 32 MiB", Probe.used(pool));
    pool.trim(0);
    p.say("trim to 0 while used", Probe.used(pool));
    for (int i = 0; i < 4; i++) {
      p.freePooled(pool, at[i], stream);
    }
    pool.trim(0);
    p.say("four freed, trim to 0", Probe.used(pool));
    stream.isIdle();
    pool.trim(0);
    p.say("after a query, trim to 0", Probe.used(pool));
    stream.synchronize();
    for (long keep : new long[] {Long.MAX_VALUE, 161 * MIB, 129 * MIB, 97 * MIB, 65 * MIB, 1, 0}) {
      pool.trim(keep);
      p.say("after a wait, trim to " + keep, Probe.used(pool));
    }
    p.freePooled(pool, at[4], stream);
    stream.synchronize();
    pool.trim(1);
    p.say("one freed, waited, trim to 1", Probe.used(pool));
    long small = p.pooled(pool, 1, stream);
    p.freePooled(pool, at[5], stream);
    stream.synchronize();
    pool.trim(0);
    p.say("1 byte left, trim to 0", Probe.used(pool));
    p.freePooled(pool, small, stream);
  }

  private static void most(Probe p) {
    Stream stream = p.stream();
    for (long most : new long[] {1, MIB, UNIT, UNIT + 1, 48 * MIB, 64 * MIB, 1024 * MIB}) {
      DriverPool[] pool = new DriverPool[1];
      p.call("pool of at most " + most, () -> pool[0] = p.pool(most));
      DriverPool made = pool[0];
      if (made != null) {
        p.call("its alloc of 1", () -> p.pooled(made, 1, stream));
        p.call("its alloc of 32 MiB", () -> p.pooled(made, UNIT, stream));
        p.call("its alloc of 40 MiB", () -> p.pooled(made, 40 * MIB, stream));
        p.say("then", Probe.used(made));
      }
    }
    for (long most : new long[] {-1, 1L << 40, 1L << 45, 1L << 62, Long.MAX_VALUE}) {
      p.call("pool of at most " + most, () -> p.pool(most));
    }
  }

  private static void closes(Probe p) {
    Stream stream = p.stream();
    DriverPool pool = p.pool();
    long before = p.free();
    p.pooled(pool, MIB, stream);
    p.call("close of a pool with memory", pool::close);
    p.say("free memory", p.free() - before);
    p.call("statistics", pool::getStatistics);
    p.call("alloc", () -> pool.allocate(1, stream));
    // What is left of its memory cannot be freed any more.
  }

  private static void closesAfterFree(Probe p) {
    Stream stream = p.stream();
    long before = p.free();
    DriverPool second = p.pool();
    long freed = p.pooled(second, MIB, stream);
    p.freePooled(second, freed, stream);
    p.call("close of a pool whose free is not waited for", second::close);
    p.say("free memory", p.free() - before);
    stream.synchronize();
    p.say("free memory after a wait", p.free() - before);
    p.call("close again", second::close);
  }

  private static void refusals(Probe p) {
    Stream stream = p.stream();
    DriverPool pool = p.pool();
    p.call("alloc of 0", () -> pool.allocate(0, stream));
    p.call("alloc of -1", () -> pool.allocate(-1, stream));
    p.call("alloc of 1 PiB", () -> pool.allocate(1L << 50, stream));
    p.call("alloc of Long.MAX_VALUE", () -> pool.allocate(Long.MAX_VALUE, stream));
    p.call("free of 0", () -> pool.free(0, stream));
    p.call("free of an unknown address", () -> pool.free(1L << 40, stream));
    long address = p.pooled(pool, 4 * MIB, stream);
    p.call("free of an interior address", () -> pool.free(address + PAGE, stream));
    p.call("free", () -> p.freePooled(pool, address, stream));
    p.call("free again", () -> pool.free(address, stream));
    p.call("plain free then", () -> p.device.getMemory().free(address));
    p.call("wait", stream::synchronize);
    p.call("free again", () -> pool.free(address, stream));
    p.call("plain free then", () -> p.device.getMemory().free(address));
    p.call("threshold of -1", () -> pool.setReleaseThreshold(-1));
    p.call("trim to -1", () -> pool.trim(-1));
    p.call("access for its own device", () -> pool.setAccess(p.device, true));
    p.call("revoked from its own device", () -> pool.setAccess(p.device, false));
    long mapped = p.mapped(PAGE);
    p.call("free of mapped memory", () -> pool.free(mapped, stream));
    var managed = p.managed(4096);
    p.call("free of managed memory", () -> pool.free(managed.getAddress(), stream));
    var pinned = p.pinned(4096);
    p.call("free of page-locked memory", () -> pool.free(pinned.getAddress(), stream));
    DriverPool other = p.pool();
    long foreign = p.pooled(other, MIB, stream);
    p.call("free of another pool's memory", () -> pool.free(foreign, stream));
    p.say("the pool; the other", Probe.used(pool) + "; " + Probe.used(other));
    stream.close();
    p.call("alloc on a closed stream", () -> pool.allocate(1, stream));
  }

  private static void figures(Probe p) {
    DriverPool pool = p.pool();
    Stream stream = p.stream();
    Consumer<String> say = what -> p.say(what, Probe.peaks(pool));
    say.accept("a new pool");
    Busy busy = p.busy(stream);
    long address = p.pooled(pool, MIB, stream);
    say.accept("alloc behind work");
    p.freePooled(pool, address, stream);
    say.accept("free behind work");
    p.say("the work", busy.state());
    stream.synchronize();
    say.accept("a wait");
    long plainly = p.pooled(pool, MIB, stream);
    stream.synchronize();
    busy = p.busy(stream);
    p.device.getMemory().free(plainly);
    say.accept("plain free behind work");
    p.say("the work", busy.state());
    stream.synchronize();
    say.accept("a wait");
  }

  private static void scarce(Probe p) {
    DriverPool pool = p.pool();
    pool.setReleaseThreshold(Long.MAX_VALUE);
    Stream stream = p.stream();
    long filler = p.plain(p.free() - 2048 * MIB);
    p.freePooled(pool, p.pooled(pool, 1280 * MIB, stream), stream);
    stream.synchronize();
    p.say("a pool with 1280 MiB unused", Probe.used(pool));
    p.call("plain alloc of 1 GiB", () -> p.freePlain(p.plain(1024 * MIB)));
    p.say("the pool then", Probe.used(pool));
    p.freePooled(pool, p.pooled(pool, 1280 * MIB, stream), stream);
    stream.synchronize();
    p.call("create of 1 GiB", () -> p.release(p.physical(1024 * MIB)));
    p.say("the pool then", Probe.used(pool));
    p.freePooled(pool, p.pooled(pool, 1280 * MIB, stream), stream);
    p.call("another pool's alloc of 1 GiB", () -> p.pooled(p.pool(), 1024 * MIB, p.stream()));
    p.say("the pool then", Probe.used(pool));
    p.freePlain(filler);
  }
}
