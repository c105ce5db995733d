package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;
import static org.vramkit.gpu.truth.Probe.PAGE;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.PeerAccess;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.VirtualMemory;

/** Which memory of the other device a device may use, by the access that there is. */
final class PairMemory implements PairTopic {
  /** Makes memory of the second device, for use by the first. */
  private interface Made extends BiFunction<Probe, Probe, Long> {}

  @Override
  public void run(Lab first, Lab second) {
    first.probe("2MA", second, PairMemory::access);
    Map<String, Made> kinds = kinds();
    int i = 0;
    for (Map.Entry<String, Made> each : kinds.entrySet()) {
      String id = String.valueOf(i++);
      String name = each.getKey();
      for (Access access : Access.values()) {
        first.probe(
            "2MU" + id + access,
            second,
            (p, q) -> uses(p, q, access, name, each.getValue().apply(p, q)));
      }
    }
    first.probe("2MN", second, PairMemory::unknown);
    first.probe("2MH", second, PairMemory::handles);
    first.probe("2MR", second, PairMemory::reservations);
    first.probe("2MV", second, PairMemory::mappings);
    first.probe("2MG", second, PairMemory::registration);
    first.probe("2MF", second, PairMemory::figures);
  }

  /** The peer access while memory of the other device is used. */
  private enum Access {
    NONE,
    OURS,
    THEIRS,
    BOTH,
    ENDED
  }

  private static Map<String, Made> kinds() {
    Map<String, Made> kinds = new LinkedHashMap<>();
    kinds.put("plain memory", (p, q) -> q.plain(PAGE));
    kinds.put("memory of a pool", (p, q) -> pooled(q, q.pool()));
    kinds.put(
        "memory of a pool that is granted",
        (p, q) -> {
          DriverPool pool = q.pool();
          pool.setAccess(p.device, true);
          return pooled(q, pool);
        });
    kinds.put(
        "memory of a pool that was granted before",
        (p, q) -> {
          DriverPool pool = q.pool();
          pool.setAccess(p.device, true);
          long address = pooled(q, pool);
          pool.setAccess(p.device, false);
          return address;
        });
    kinds.put("mapped memory", (p, q) -> q.mapped(PAGE));
    kinds.put("mapped memory, open to both", (p, q) -> mapped(q, List.of(p.device, q.device)));
    kinds.put("mapped memory, open to the user alone", (p, q) -> mapped(q, List.of(p.device)));
    kinds.put("mapped memory, open to none", (p, q) -> mapped(q, List.of()));
    kinds.put("the user's own memory, open to the other", (p, q) -> mapped(p, List.of(q.device)));
    kinds.put("page-locked memory", (p, q) -> q.pinned(PAGE).getAddress());
    kinds.put("managed memory", (p, q) -> q.managed(PAGE).getAddress());
    return kinds;
  }

  private static long pooled(Probe q, DriverPool pool) {
    long address = q.pooled(pool, PAGE, q.stream());
    q.device.synchronize();
    return address;
  }

  private static long mapped(Probe q, List<Device> open) {
    long address = q.reserve(PAGE);
    q.map(address, PAGE, q.physical(PAGE));
    q.device.getVirtualMemory().setAccess(address, PAGE, open);
    return address;
  }

  private static void uses(Probe p, Probe q, Access access, String name, long memory) {
    PeerAccess ours = p.device.getPeerAccess();
    PeerAccess theirs = q.device.getPeerAccess();
    if (access == Access.OURS || access == Access.BOTH || access == Access.ENDED) {
      ours.enable(q.device);
    }
    if (access == Access.THEIRS || access == Access.BOTH) {
      theirs.enable(p.device);
    }
    if (access == Access.ENDED) {
      ours.disable(q.device);
    }
    Stream stream = p.stream();
    String by = "access " + access + ", " + name + ": ";
    p.call(by + "fill", () -> stream.fill(memory, (byte) 1, PAGE));
    p.call(by + "copy from it", () -> stream.copy(p.lab.work, memory, 64));
    p.call(by + "copy to it", () -> stream.copy(memory, p.lab.work, 64));
    p.call(by + "copy inside it", () -> stream.copy(memory, memory + MIB, 64));
    p.call(by + "copy from a heap buffer", () -> stream.copyToDevice(memory, heap()));
    p.call(by + "copy to a heap buffer", () -> stream.copyToHost(heap(), memory));
    p.call(
        by + "copy from page-locked memory", () -> stream.copyToDevice(memory, p.lab.flags, 0, 64));
    PinnedBuffer pinned = p.pinned(64);
    p.call(by + "copy to page-locked memory", () -> stream.copyToHost(pinned, 0, memory, 64));
    p.call(by + "a wait then", stream::synchronize);
    ours.disable(q.device);
    theirs.disable(p.device);
  }

  private static ByteBuffer heap() {
    return ByteBuffer.allocate(64);
  }

  private static void access(Probe p, Probe q) {
    PeerAccess access = p.device.getPeerAccess();
    p.say("access is possible", access.canAccess(q.device));
    p.call("enable", () -> access.enable(q.device));
    p.call("enable again", () -> access.enable(q.device));
    p.call("disable", () -> access.disable(q.device));
    p.call("disable again", () -> access.disable(q.device));
    p.call("enable for itself", () -> access.enable(p.device));
    p.call("disable for itself", () -> access.disable(p.device));
    p.say("access to itself is possible", Probe.outcome(() -> access.canAccess(p.device)));
    long before = p.free();
    long others = q.free();
    PairWaiting.open(p, q, true);
    p.say("free memory by access both ways", (p.free() - before) + "; " + (q.free() - others));
    PairWaiting.open(p, q, false);
  }

  /** A copy would take such an address for one of the host. */
  private static void unknown(Probe p, Probe q) {
    Stream stream = p.stream();
    long reserved = q.reserve(PAGE);
    p.call("fill of the other's reserved addresses", () -> stream.fill(reserved, (byte) 1, PAGE));
    long freed = q.plain(PAGE);
    q.freePlain(freed);
    p.call("fill of the other's freed memory", () -> stream.fill(freed, (byte) 1, PAGE));
    p.call("a wait then", stream::synchronize);
  }

  /** Handles of physical memory belong to the process. */
  private static void handles(Probe p, Probe q) {
    VirtualMemory ours = p.device.getVirtualMemory();
    VirtualMemory theirs = q.device.getVirtualMemory();
    long handle = q.physical(PAGE);
    long address = p.reserve(PAGE);
    p.call("map of the other's handle", () -> p.map(address, PAGE, handle));
    p.call("access of the other by one", () -> ours.setAccess(address, PAGE, q.device));
    p.call("fill by the other", () -> fill(q, address));
    p.call("fill by one", () -> fill(p, address));
    p.call("access of both by the other", () -> theirs.setAccess(address, PAGE, both(p, q)));
    p.call("fill by one", () -> fill(p, address));
    long free = q.free();
    p.call("release by one", () -> ours.release(handle));
    p.say("free memory of the other", q.free() - free);
    p.call("release by the other", () -> theirs.release(handle));
    p.call("fill by the other", () -> fill(q, address));
    p.call("map of a released handle", () -> ours.map(p.reserve(PAGE), PAGE, handle));
    p.call("unmap by the other", () -> theirs.unmap(address, PAGE));
    p.say("free memory of the other", q.free() - free);
    p.call("end of the reservation by the other", () -> theirs.unreserve(address, PAGE));
    p.call("by one", () -> p.unreserve(address, PAGE));
  }

  private static List<Device> both(Probe p, Probe q) {
    return List.of(p.device, q.device);
  }

  private static void fill(Probe probe, long address) {
    Stream stream = probe.stream();
    stream.fill(address, (byte) 1, PAGE);
    stream.synchronize();
  }

  /** Access over parts, holes and borders of mappings. */
  private static void reservations(Probe p, Probe q) {
    VirtualMemory memory = p.device.getVirtualMemory();
    long address = p.reserve(4 * PAGE);
    p.map(address, PAGE, p.physical(PAGE));
    p.map(address + PAGE, PAGE, q.physical(PAGE));
    p.map(address + 3 * PAGE, PAGE, p.physical(PAGE));
    Device other = q.device;
    p.call("access of the other to half a page", () -> memory.setAccess(address, MIB, other));
    p.call("to a hole", () -> memory.setAccess(address + 2 * PAGE, PAGE, other));
    p.call("to a mapping and a hole", () -> memory.setAccess(address + PAGE, 2 * PAGE, other));
    p.call("to two mappings of two devices", () -> memory.setAccess(address, 2 * PAGE, other));
    p.call("fill by the other of both", () -> fillBoth(q, address));
    p.call("of the hole", () -> fill(q, address + 2 * PAGE));
    p.call("end of the other's access to one", () -> memory.removeAccess(address, PAGE, other));
    p.call("fill by the other of both", () -> fillBoth(q, address));
    p.call("fill of the second", () -> fill(q, address + PAGE));
    p.call("end of access to a hole", () -> memory.removeAccess(address + 2 * PAGE, PAGE, other));
    p.call("end of an access never given", () -> memory.removeAccess(address, PAGE, p.device));
    p.call("unmap of all by the other", () -> other.getVirtualMemory().unmap(address, 4 * PAGE));
  }

  private static void fillBoth(Probe probe, long address) {
    Stream stream = probe.stream();
    stream.fill(address, (byte) 1, 2 * PAGE);
    stream.synchronize();
  }

  /** One physical memory at addresses of both. */
  private static void mappings(Probe p, Probe q) {
    long handle = p.physical(PAGE);
    long ours = p.reserve(PAGE);
    long theirs = q.reserve(PAGE);
    p.map(ours, PAGE, handle);
    q.map(theirs, PAGE, handle);
    p.access(ours, PAGE);
    q.access(theirs, PAGE);
    Stream stream = p.stream();
    stream.fill(ours, (byte) 9, PAGE);
    stream.synchronize();
    ByteBuffer read = ByteBuffer.allocate(1);
    Stream other = q.stream();
    p.call("read by the other through its own address", () -> other.copyToHost(read, theirs));
    p.say("the byte", read.get(0));
    p.call("fill by the other of one's address", () -> fill(q, ours));
    p.call("fill by one of the other's address", () -> fill(p, theirs));
    p.call("copy by one from the other's address", () -> stream.copy(p.lab.work, theirs, 64));
    p.call("wait", stream::synchronize);
  }

  private static void registration(Probe p, Probe q) {
    PinnedBuffer locked = q.pinned(2 * MIB);
    var pinned = p.device.getPinnedMemory();
    p.call("register page-locked memory of the other", () -> register(p, locked));
    ByteBuffer memory = Calls.direct(MIB);
    q.kept(q.device.getPinnedMemory().register(memory));
    p.call("register what the other has registered", () -> p.kept(pinned.register(memory)));
    PinnedBuffer managed = q.managed(MIB);
    p.call("register managed memory of the other", () -> register(p, managed));
    Stream stream = p.stream();
    p.call("copy to the other's page-locked memory", () -> copy(p, stream, locked));
    p.call("wait", stream::synchronize);
  }

  private static void register(Probe p, PinnedBuffer buffer) {
    p.kept(p.device.getPinnedMemory().register(buffer.getBytes(0, (int) MIB)));
  }

  private static void copy(Probe p, Stream stream, PinnedBuffer target) {
    stream.copyToHost(target, 0, p.lab.work, MIB);
  }

  /** What each device says of its free memory. */
  private static void figures(Probe p, Probe q) {
    for (long bytes : new long[] {1, PAGE, 64 * MIB}) {
      long ours = p.free();
      long theirs = q.free();
      long address = q.plain(bytes);
      p.say("alloc of %d on the other".formatted(bytes), change(p, q, ours, theirs));
      p.call("free through one", () -> p.device.getMemory().free(address));
      p.say("then", change(p, q, ours, theirs));
    }
    long ours = p.free();
    long theirs = q.free();
    long address = p.reserve(64 * MIB);
    p.map(address, 64 * MIB, p.physical(64 * MIB));
    p.device.getVirtualMemory().setAccess(address, 64 * MIB, both(p, q));
    p.say("64 MiB mapped and open to both", change(p, q, ours, theirs));
  }

  private static String change(Probe p, Probe q, long ours, long theirs) {
    return (p.free() - ours) + "; " + (q.free() - theirs);
  }
}
