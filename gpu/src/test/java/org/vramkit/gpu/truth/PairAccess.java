package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.PAGE;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.VirtualMemory;

/** Access that is opened, ended, opened again and before there is memory, in all orders. */
final class PairAccess implements PairTopic {
  private static final int STEPS = 4;

  /** The calls of an order: access is opened, ended, and memory allocated or freed. */
  private static final List<String> CALLS = List.of("O", "E", "N", "F");

  @Override
  public void run(Lab first, Lab second) {
    int i = 0;
    for (String order : orders()) {
      first.probe("2AP" + i, second, (p, q) -> order(p, q, order, new Peers(p, q)));
      first.probe("2AO" + i, second, (p, q) -> order(p, q, order, new Pool(p, q)));
      first.probe("2AM" + i, second, (p, q) -> order(p, q, order, new Mapping(p, q)));
      i++;
    }
    i = 0;
    for (Way way : ways()) {
      first.probe("2AW" + i++, second, (p, q) -> way(p, q, way));
    }
    first.probe("2AL", second, PairAccess::lists);
    first.probe("2AE", second, PairAccess::ends);
    first.probe("2AR", second, PairAccess::remapped);
    first.probe("2AH", second, PairAccess::twoHandles);
    first.probe("2AB", second, PairAccess::bothPools);
    first.probe("2AT", second, PairAccess::trimmed);
  }

  /** Returns the orders in which memory is allocated, that do not begin with what does nothing. */
  private static List<String> orders() {
    List<String> orders = new ArrayList<>(List.of(""));
    for (int i = 0; i < STEPS; i++) {
      List<String> longer = new ArrayList<>();
      for (String each : orders) {
        for (String call : CALLS) {
          longer.add(each + call);
        }
      }
      orders = longer;
    }
    orders.removeIf(each -> !each.matches("O?N.*|OEN.") || each.contains("EE"));
    orders.removeIf(
        each -> each.matches(".*F.*F.*|.*N.*N.*N.*|NF.*|ON?F.*") || !each.contains("O"));
    return orders;
  }

  /** A kind of memory of the second device, and access of the first to it. */
  private abstract static class Memory {
    final Probe p;
    final Probe q;
    final List<Long> blocks = new ArrayList<>();

    Memory(Probe p, Probe q) {
      this.p = p;
      this.q = q;
    }

    abstract void change(boolean open);

    abstract long allocate();

    abstract void free(long address);
  }

  private static final class Peers extends Memory {
    Peers(Probe p, Probe q) {
      super(p, q);
    }

    @Override
    void change(boolean open) {
      if (open) {
        p.device.getPeerAccess().enable(q.device);
      } else {
        p.device.getPeerAccess().disable(q.device);
      }
    }

    @Override
    long allocate() {
      return q.plain(PAGE);
    }

    @Override
    void free(long address) {
      q.freePlain(address);
    }
  }

  private static final class Pool extends Memory {
    private final DriverPool pool;
    private final Stream stream;

    Pool(Probe p, Probe q) {
      super(p, q);
      pool = q.pool();
      stream = q.stream();
    }

    @Override
    void change(boolean open) {
      pool.setAccess(p.device, open);
    }

    @Override
    long allocate() {
      long address = q.pooled(pool, Probe.UNIT, stream);
      stream.synchronize();
      return address;
    }

    @Override
    void free(long address) {
      q.freePooled(pool, address, stream);
      stream.synchronize();
    }
  }

  /** One mapping at a time, at the same addresses. */
  private static final class Mapping extends Memory {
    private final VirtualMemory memory;
    private final long base;
    private int next;

    Mapping(Probe p, Probe q) {
      super(p, q);
      memory = q.device.getVirtualMemory();
      base = q.reserve(STEPS * PAGE);
    }

    @Override
    void change(boolean open) {
      long bytes = Math.max(1, next) * PAGE;
      if (open) {
        memory.setAccess(base, bytes, p.device);
      } else {
        memory.removeAccess(base, bytes, p.device);
      }
    }

    @Override
    long allocate() {
      long address = base + next++ * PAGE;
      q.map(address, PAGE, q.physical(PAGE));
      return address;
    }

    @Override
    void free(long address) {
      q.unmap(address, PAGE);
      next--;
    }
  }

  private static void order(Probe p, Probe q, String order, Memory memory) {
    StringBuilder found = new StringBuilder();
    for (int i = 0; i < order.length(); i++) {
      char call = order.charAt(i);
      String outcome =
          switch (call) {
            case 'O' -> Probe.outcome(() -> memory.change(true));
            case 'E' -> Probe.outcome(() -> memory.change(false));
            case 'N' -> Probe.outcome(() -> memory.blocks.add(memory.allocate()));
            default ->
                Probe.outcome(() -> memory.free(memory.blocks.remove(memory.blocks.size() - 1)));
          };
      found.append(call).append(' ').append(outcome).append("; ");
    }
    Stream ours = p.stream();
    Stream theirs = q.stream();
    for (long address : memory.blocks) {
      found
          .append("fill ")
          .append(Probe.outcome(() -> ours.fill(address, (byte) 1, PAGE)))
          .append(", ")
          .append(Probe.outcome(() -> theirs.fill(address, (byte) 1, PAGE)))
          .append("; ");
    }
    p.device.synchronize();
    q.device.synchronize();
    p.say(
        memory.getClass().getSimpleName() + " of the other, " + order + ", fills",
        found.append(Probe.outcome(() -> memory.change(false))));
  }

  /** Who reserves, creates, maps and opens, and for whom. */
  private record Way(boolean reserves, boolean creates, boolean maps, boolean opens, int opened) {}

  private static List<Way> ways() {
    List<Way> ways = new ArrayList<>();
    for (int bits = 0; bits < 1 << 4; bits++) {
      for (int opened = 0; opened < 2; opened++) {
        ways.add(
            new Way((bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, opened));
      }
    }
    return ways;
  }

  private static void way(Probe p, Probe q, Way way) {
    long address = (way.reserves ? q : p).reserve(PAGE);
    long handle = (way.creates ? q : p).physical(PAGE);
    Probe mapping = way.maps ? q : p;
    VirtualMemory opening = (way.opens ? q : p).device.getVirtualMemory();
    Device opened = (way.opened == 0 ? p : q).device;
    StringBuilder found = new StringBuilder();
    long ours = p.free();
    long theirs = q.free();
    found.append(Probe.outcome(() -> mapping.map(address, PAGE, handle))).append("; ");
    found.append(Probe.outcome(() -> opening.setAccess(address, PAGE, opened))).append("; ");
    found.append(fills(p, q, address)).append("; ");
    found.append(Probe.outcome(() -> opening.removeAccess(address, PAGE, opened))).append("; ");
    found.append(fills(p, q, address)).append("; ");
    found.append(p.free() - ours).append(' ').append(q.free() - theirs);
    p.say(way + ": map; access; fills; its end; fills; free memory", found);
  }

  private static String fills(Probe p, Probe q, long address) {
    return fill(p, address) + ", " + fill(q, address);
  }

  private static String fill(Probe probe, long address) {
    Stream stream = probe.stream();
    return Probe.outcome(() -> stream.fill(address, (byte) 1, PAGE))
        + " "
        + Probe.outcome(stream::synchronize);
  }

  private static void lists(Probe p, Probe q) {
    Device a = p.device;
    Device b = q.device;
    List<List<Device>> lists =
        List.of(
            List.of(),
            List.of(a),
            List.of(b),
            List.of(a, b),
            List.of(b, a),
            List.of(a, a),
            List.of(b, b),
            List.of(a, b, a));
    for (Probe owner : List.of(p, q)) {
      for (Probe through : List.of(p, q)) {
        for (List<Device> list : lists) {
          long address = owner.reserve(PAGE);
          owner.map(address, PAGE, owner.physical(PAGE));
          String outcome =
              Probe.outcome(() -> through.device.getVirtualMemory().setAccess(address, PAGE, list));
          p.say(
              "memory of %s, access through %s for %s; fills"
                  .formatted(name(owner.device), name(through.device), names(list)),
              outcome + "; " + fills(p, q, address));
        }
      }
    }
  }

  private static int name(Device device) {
    return device.getOrdinal();
  }

  private static List<Integer> names(List<Device> devices) {
    return devices.stream().map(PairAccess::name).toList();
  }

  /** What is left of the access of both after the end of one or both. */
  private static void ends(Probe p, Probe q) {
    for (Probe through : List.of(p, q)) {
      VirtualMemory memory = through.device.getVirtualMemory();
      for (List<Device> order :
          List.of(
              List.of(p.device),
              List.of(q.device),
              List.of(p.device, q.device),
              List.of(q.device, p.device),
              List.of(q.device, q.device))) {
        long address = p.reserve(PAGE);
        p.map(address, PAGE, p.physical(PAGE));
        memory.setAccess(address, PAGE, List.of(p.device, q.device));
        StringBuilder found = new StringBuilder();
        for (Device each : order) {
          found
              .append(Probe.outcome(() -> memory.removeAccess(address, PAGE, each)))
              .append(", fills ")
              .append(fills(p, q, address))
              .append("; ");
        }
        p.say(
            "open to both, ends through %d of %s".formatted(name(through.device), names(order)),
            found.append(Probe.outcome(() -> memory.setAccess(address, PAGE, order))));
      }
    }
  }

  /** Another mapping at addresses that were open. */
  private static void remapped(Probe p, Probe q) {
    VirtualMemory memory = p.device.getVirtualMemory();
    for (Probe next : List.of(p, q)) {
      long address = p.reserve(PAGE);
      p.map(address, PAGE, p.physical(PAGE));
      memory.setAccess(address, PAGE, List.of(p.device, q.device));
      p.say("open to both; fills", fills(p, q, address));
      p.unmap(address, PAGE);
      p.map(address, PAGE, next.physical(PAGE));
      p.say("another mapping there; fills", fills(p, q, address));
      memory.setAccess(address, PAGE, q.device);
      p.say("open to the other; fills", fills(p, q, address));
    }
  }

  /** Two addresses of one handle, of which only one is open to the other. */
  private static void twoHandles(Probe p, Probe q) {
    long handle = p.physical(PAGE);
    long first = p.reserve(2 * PAGE);
    long second = first + PAGE;
    p.map(first, PAGE, handle);
    p.map(second, PAGE, handle);
    VirtualMemory memory = p.device.getVirtualMemory();
    memory.setAccess(first, PAGE, List.of(p.device, q.device));
    p.say("the first open to both; fills", fills(p, q, first) + "; " + fills(p, q, second));
    memory.setAccess(second, PAGE, q.device);
    p.say("the second to the other; fills", fills(p, q, first) + "; " + fills(p, q, second));
    p.call("end of both in a call", () -> memory.removeAccess(first, 2 * PAGE, q.device));
    p.say("fills", fills(p, q, first) + "; " + fills(p, q, second));
    p.unmap(first, PAGE);
    p.call("access of the second", () -> memory.setAccess(second, PAGE, p.device));
    p.say("fills", fills(p, q, second));
  }

  /** A grant is of one pool. */
  private static void bothPools(Probe p, Probe q) {
    DriverPool granted = p.pool();
    DriverPool closed = p.pool();
    DriverPool theirs = q.pool();
    Stream stream = p.stream();
    granted.setAccess(q.device, true);
    theirs.setAccess(p.device, true);
    List<DriverPool> pools = List.of(granted, closed, theirs);
    for (DriverPool pool : pools) {
      long address = p.pooled(pool, PAGE, stream);
      stream.synchronize();
      p.say("one's granted; one's; the other's: fills", fills(p, q, address));
    }
    granted.setAccess(q.device, false);
    closed.setAccess(q.device, true);
    for (DriverPool pool : pools) {
      long address = p.pooled(pool, PAGE, stream);
      stream.synchronize();
      p.say("exchanged: fills", fills(p, q, address));
    }
    long ordered = p.device.getStreamOrderedMemory().allocate(PAGE, stream);
    stream.synchronize();
    p.say("the default pool: fills", fills(p, q, ordered));
    p.device.getStreamOrderedMemory().free(ordered, stream);
  }

  /** Whether a grant outlives the memory of a pool. */
  private static void trimmed(Probe p, Probe q) {
    DriverPool pool = p.pool();
    pool.setReleaseThreshold(Long.MAX_VALUE);
    Stream stream = p.stream();
    for (boolean allowed : new boolean[] {true, true, false, false, true}) {
      pool.setAccess(q.device, allowed);
      long address = p.pooled(pool, PAGE, stream);
      stream.synchronize();
      p.say("access " + allowed + ": fills", fills(p, q, address));
      p.freePooled(pool, address, stream);
      stream.synchronize();
      pool.trim(0);
      p.say("trimmed", Probe.used(pool));
      long next = p.pooled(pool, PAGE, stream);
      stream.synchronize();
      p.say("after a trim: fills", fills(p, q, next));
    }
  }
}
