package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;
import static org.vramkit.gpu.truth.Probe.UNIT;

import java.util.LinkedHashMap;
import java.util.Map;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamOrderedMemory;

/** Memory that outlives its pool. */
final class ClosedPools implements Topic {
  private interface Free {
    void of(Probe p, DriverPool closed, long address, Stream stream);
  }

  @Override
  public void run(Lab lab) {
    Map<String, Free> frees = new LinkedHashMap<>();
    frees.put("a plain free", (p, c, address, s) -> p.device.getMemory().free(address));
    frees.put("a free in stream order", (p, c, address, s) -> ordered(p).free(address, s));
    frees.put("a free through another pool", (p, c, address, s) -> p.pool().free(address, s));
    frees.put("a free through it", (p, c, address, s) -> c.free(address, s));
    int i = 0;
    for (Map.Entry<String, Free> each : frees.entrySet()) {
      String id = String.valueOf(i++);
      lab.probe("QF" + id, p -> freed(p, each.getKey(), each.getValue()));
      lab.probe("QB" + id, p -> behindWork(p, each.getKey(), each.getValue()));
    }
    lab.probe("QU", ClosedPools::used);
    lab.probe("QI", ClosedPools::interior);
  }

  private static StreamOrderedMemory ordered(Probe p) {
    return p.device.getStreamOrderedMemory();
  }

  private static long orphan(DriverPool pool, Stream stream) {
    long address = pool.allocate(MIB, stream);
    stream.fill(address, (byte) 1, MIB);
    stream.synchronize();
    return address;
  }

  private static void freed(Probe p, String name, Free free) {
    Stream stream = p.stream();
    long before = p.free();
    DriverPool pool = p.device.getDriverPools().create(0);
    long address = orphan(pool, stream);
    pool.close();
    p.say("a pool closed with memory: free memory", p.free() - before);
    p.call(name + " of its memory", () -> free.of(p, pool, address, stream));
    p.say("free memory", p.free() - before);
    stream.synchronize();
    p.say("after a wait", p.free() - before);
    p.call(name + " again", () -> free.of(p, pool, address, stream));
    p.call("a plain free then", () -> p.device.getMemory().free(address));
    p.call("a free in stream order then", () -> ordered(p).free(address, stream));
    p.device.synchronize();
    p.say("at last", p.free() - before);
  }

  private static void behindWork(Probe p, String name, Free free) {
    Stream stream = p.stream();
    DriverPool pool = p.device.getDriverPools().create(0);
    long address = orphan(pool, stream);
    pool.close();
    Busy busy = p.busy(stream);
    String outcome = Probe.outcome(() -> free.of(p, pool, address, stream));
    p.say(name + " of memory of a closed pool beside work", outcome + "; " + busy.state());
    stream.synchronize();
    Probe.outcome(() -> p.device.getMemory().free(address));
  }

  private static void used(Probe p) {
    Stream stream = p.stream();
    DriverPool pool = p.device.getDriverPools().create(0);
    long address = orphan(pool, stream);
    long other = orphan(pool, stream);
    pool.close();
    p.call("fill of memory of a closed pool", () -> stream.fill(address, (byte) 1, MIB));
    p.call("copy from it", () -> stream.copy(p.lab.work, address, MIB));
    p.call("statistics of the pool", () -> Probe.used(pool));
    p.call("alloc from it", () -> pool.allocate(1, stream));
    DeviceMemory memory = p.device.getMemory();
    p.call("plain free", () -> memory.free(address));
    p.call("fill of the other block", () -> stream.fill(other, (byte) 1, MIB));
    p.call("wait", stream::synchronize);
    p.call("plain free of the other block", () -> memory.free(other));
    p.call("fill of it then", () -> stream.fill(other, (byte) 1, MIB));
    p.call("wait", stream::synchronize);
  }

  private static void interior(Probe p) {
    Stream stream = p.stream();
    DriverPool pool = p.device.getDriverPools().create(0);
    long address = orphan(pool, stream);
    pool.close();
    DeviceMemory memory = p.device.getMemory();
    p.call("interior free", () -> memory.free(address + 512));
    p.call("free of what the pool had not given out", () -> memory.free(address + UNIT - 512));
    p.call("plain free", () -> memory.free(address));
  }
}
