package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;
import static org.vramkit.gpu.truth.Probe.PAGE;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.Stream;

/** Copies between memory of all kinds of both devices, on streams of both. */
final class PairCopies implements PairTopic {
  @Override
  public void run(Lab first, Lab second) {
    for (boolean open : new boolean[] {false, true}) {
      String id = open ? "2XO" : "2XC";
      for (int i = 0; i < 2; i++) {
        boolean ours = i == 0;
        first.probe(id + i, second, (p, q) -> copies(p, q, open, ours));
        first.probe(id + "U" + i, second, (p, q) -> uses(p, q, open, ours));
      }
    }
  }

  /** Returns memory of the first device by its kind. */
  private static Map<String, Long> memory(Probe p, Probe q, String whose) {
    Map<String, Long> memory = new LinkedHashMap<>();
    memory.put(whose + " plain memory", p.plain(PAGE));
    memory.put(whose + " pool", pooled(p, q, false));
    memory.put(whose + " granted pool", pooled(p, q, true));
    memory.put(whose + " mapping", mapped(p, List.of(p.device)));
    memory.put(whose + " mapping for both", mapped(p, List.of(p.device, q.device)));
    memory.put(whose + " mapping for the other", mapped(p, List.of(q.device)));
    return memory;
  }

  private static long pooled(Probe p, Probe q, boolean granted) {
    DriverPool pool = p.pool();
    pool.setAccess(q.device, granted);
    long address = p.pooled(pool, PAGE, p.stream());
    p.device.synchronize();
    return address;
  }

  private static long mapped(Probe p, List<Device> open) {
    long address = p.reserve(PAGE);
    p.map(address, PAGE, p.physical(PAGE));
    p.device.getVirtualMemory().setAccess(address, PAGE, open);
    return address;
  }

  private static Map<String, Long> all(Probe p, Probe q) {
    Map<String, Long> memory = memory(p, q, "one's");
    memory.putAll(memory(q, p, "the other's"));
    memory.put("page-locked memory", p.pinned(PAGE).getAddress());
    memory.put("the other's managed memory", q.managed(PAGE).getAddress());
    return memory;
  }

  private static String where(boolean open, boolean ours) {
    return (open ? "access both ways, " : "no access, ")
        + (ours ? "on one's stream: " : "on the other's stream: ");
  }

  private static void copies(Probe p, Probe q, boolean open, boolean ours) {
    PairWaiting.open(p, q, open);
    Map<String, Long> memory = all(p, q);
    Stream stream = (ours ? p : q).stream();
    memory.forEach(
        (target, to) -> {
          StringBuilder found = new StringBuilder();
          memory.forEach(
              (source, from) -> {
                String outcome = Probe.outcome(() -> stream.copy(to, from + MIB, 64));
                found.append(outcome.equals("ok") ? '+' : outcome.contains(" 1 ") ? '-' : outcome);
              });
          p.say(where(open, ours) + "copies to " + target + " from each kind", found);
        });
    p.call(where(open, ours) + "a wait", stream::synchronize);
    PairWaiting.open(p, q, false);
  }

  /** Fills and copies with the host, of memory of which the other mostly has some. */
  private static void uses(Probe p, Probe q, boolean open, boolean ours) {
    PairWaiting.open(p, q, open);
    Stream stream = (ours ? p : q).stream();
    ByteBuffer found = ByteBuffer.allocate(1);
    all(p, q)
        .forEach(
            (name, address) ->
                p.say(
                    where(open, ours) + "fill; read; write; page-locked write: " + name,
                    Probe.outcome(() -> stream.fill(address, (byte) 3, 16))
                        + "; "
                        + Probe.outcome(() -> stream.copyToHost(found.duplicate(), address))
                        + "; "
                        + Probe.outcome(() -> stream.copyToDevice(address, found.duplicate()))
                        + "; "
                        + Probe.outcome(() -> stream.copyToDevice(address, p.lab.flags, 0, 8))));
    p.call(where(open, ours) + "a wait", stream::synchronize);
    PairWaiting.open(p, q, false);
  }
}
