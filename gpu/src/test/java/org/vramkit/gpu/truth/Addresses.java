package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;
import static org.vramkit.gpu.truth.Probe.PAGE;

import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;

/** Alignment, order, distance and reuse of addresses. */
final class Addresses implements Topic {
  @Override
  public void run(Lab lab) {
    for (long bytes :
        new long[] {1, 512, 513, 1048576, 1048577, PAGE, 3145728, 4 * MIB, 64 * MIB, 1024 * MIB}) {
      lab.probe("DA" + bytes, p -> plain(p, bytes));
      lab.probe("DB" + bytes, p -> reused(p, bytes));
      lab.probe("DP" + bytes, p -> pooled(p, bytes));
    }
    lab.probe("DH", Addresses::holes);
    for (long bytes : new long[] {1, 512, 513, 4096, 65536, PAGE, 4 * MIB}) {
      lab.probe("DL" + bytes, p -> pageLocked(p, bytes));
    }
    for (long bytes : new long[] {PAGE, 32 * MIB, 64 * MIB, 1024 * MIB, 16L << 30}) {
      lab.probe("DV" + bytes, p -> reserved(p, bytes));
    }
  }

  private static void plain(Probe p, long bytes) {
    int count = bytes > 64 * MIB ? 4 : 8;
    long[] at = new long[count];
    long all = 0;
    for (int i = 0; i < count; i++) {
      at[i] = p.plain(bytes);
      all |= at[i];
    }
    p.say("alignment of blocks of " + bytes + ", at most 2 MiB", alignment(all));
    if (bytes < PAGE) {
      // The order of larger ones depends on what the process has mapped before.
      p.say("they ascend; step", order(at));
    }
  }

  private static long alignment(long all) {
    return Math.min(Long.lowestOneBit(all), PAGE);
  }

  private static String order(long... at) {
    boolean ascending = true;
    boolean descending = true;
    boolean even = true;
    for (int i = 1; i < at.length; i++) {
      ascending &= at[i] > at[i - 1];
      descending &= at[i] < at[i - 1];
      even &= at[i] - at[i - 1] == at[1] - at[0];
    }
    String way = ascending ? "ascending" : descending ? "descending" : "mixed";
    return way + "; " + (even ? String.valueOf(at[1] - at[0]) : "uneven");
  }

  private static void reused(Probe p, long bytes) {
    long first = p.plain(bytes);
    p.freePlain(first);
    long second = p.plain(bytes);
    p.say("address comes back after free and alloc of " + bytes, first == second);
    p.freePlain(second);
  }

  private static void holes(Probe p) {
    long first = p.plain(PAGE);
    long second = p.plain(PAGE);
    p.freePlain(first);
    p.say("hole beside a live block is reused at once", p.plain(PAGE) == first);
    long a = p.plain(512);
    long b = p.plain(512);
    long c = p.plain(512);
    p.freePlain(b);
    p.say("hole of 512 between live blocks is reused at once", p.plain(512) == b);
    p.freePlain(a);
    p.freePlain(c);
    p.say("freed in order 1, 3, the next is the 1st; the 3rd", lastTwo(p, a, c));
    p.freePlain(second);
    p.call("free of nothing", () -> p.device.getMemory().free(0));
  }

  private static String lastTwo(Probe p, long a, long c) {
    long next = p.plain(512);
    return (next == a) + "; " + (next == c);
  }

  private static void pooled(Probe p, long bytes) {
    DriverPool pool = p.pool();
    Stream stream = p.stream();
    long[] at = new long[4];
    long all = 0;
    for (int i = 0; i < at.length; i++) {
      at[i] = p.pooled(pool, bytes, stream);
      all |= at[i];
    }
    p.say("alignment of a pool's blocks of " + bytes + ", at most 2 MiB", alignment(all));
    p.say("they ascend; step", order(at));
    p.freePooled(pool, at[1], stream);
    long next = p.pooled(pool, bytes, stream);
    p.say("the 2nd freed; the next on its stream has its address", next == at[1]);
  }

  private static void pageLocked(Probe p, long bytes) {
    PinnedBuffer first = p.pinned(bytes);
    PinnedBuffer second = p.pinned(bytes);
    long one = first.getAddress();
    p.say(
        "two page-locked buffers of " + bytes + ": distance under 16 MiB",
        near(second.getAddress() - one));
    p.say("aligned to 512; to 4096", (one % 512 == 0) + "; " + (one % 4096 == 0));
    second.close();
    PinnedBuffer third = p.pinned(bytes);
    long two = third.getAddress();
    third.close();
    p.say("address comes back", p.pinned(bytes).getAddress() == two);
    PinnedBuffer managed = p.managed(bytes);
    PinnedBuffer other = p.managed(bytes);
    long at = managed.getAddress();
    p.say(
        "two managed buffers of " + bytes + ": distance under 16 MiB",
        near(other.getAddress() - at));
    p.say("aligned to 512", at % 512 == 0);
  }

  private static String near(long distance) {
    return Math.abs(distance) < 16 * MIB ? String.valueOf(distance) : "far";
  }

  private static void reserved(Probe p, long bytes) {
    long first = p.reserve(bytes);
    long second = p.reserve(bytes);
    p.say("two reservations of " + bytes + ": adjacent", second - first == bytes);
    p.say("aligned to 2 MiB", first % PAGE == 0);
    p.unreserve(second, bytes);
    long third = p.reserve(bytes);
    p.say("the 2nd ended; the next has its address", third == second);
    p.unreserve(first, bytes);
    p.say("the 1st ended; the next has its address", p.reserve(bytes) == first);
  }
}
