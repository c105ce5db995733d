package org.vramkit.sim.mutation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimStream;

/**
 * The smallest pool that is right: one block, handed out in turn; whoever gets it next waits for
 * the stream of its last owner and for every stream that was recorded.
 */
final class TinyPool {
  private final SimDevice device;
  private final ArrayDeque<Long> free = new ArrayDeque<>();
  private final Map<Long, SimStream> owners = new HashMap<>();
  private final Map<Long, List<SimStream>> users = new HashMap<>();
  private final Map<Long, List<SimEvent>> passed = new HashMap<>();

  TinyPool(SimDevice device) {
    this.device = device;
  }

  long allocate(long bytes, SimStream stream) {
    long address = free.isEmpty() ? device.getMemory().allocate(bytes) : free.pop();
    for (SimEvent event : passed.getOrDefault(address, List.of())) {
      stream.waitFor(event);
      event.close();
    }
    passed.remove(address);
    owners.put(address, stream);
    device.getMemoryObserver().allocated(address, bytes, stream);
    return address;
  }

  void recordUse(long address, SimStream stream) {
    users.computeIfAbsent(address, each -> new ArrayList<>()).add(stream);
    device.getMemoryObserver().used(address, stream);
  }

  void free(long address) {
    SimStream owner = owners.remove(address);
    List<SimStream> waitedFor = new ArrayList<>(users.getOrDefault(address, List.of()));
    users.remove(address);
    waitedFor.add(owner);
    device.getMemoryObserver().freed(address, owner);
    List<SimEvent> events = new ArrayList<>();
    for (SimStream each : waitedFor) {
      SimEvent event = device.createEvent();
      event.record(each);
      events.add(event);
    }
    passed.put(address, events);
    free.push(address);
  }
}
