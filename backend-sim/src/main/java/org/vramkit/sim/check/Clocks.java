package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Makes the clocks of streams. The slot of a closed stream is used again once the host knows all
 * its work to be done, so that clocks stay as long as there are streams in use; the new stream
 * continues the epochs of the old one and, knowing what the host knows, comes after it.
 */
final class Clocks {
  private final HostClock host = new HostClock();
  private final List<StreamClock> retired = new ArrayList<>();
  private int slots;

  HostClock getHost() {
    return host;
  }

  StreamClock create(String name) {
    for (Iterator<StreamClock> it = retired.iterator(); it.hasNext(); ) {
      StreamClock old = it.next();
      if (host.covers(old.getSlot(), old.getEpoch())) {
        it.remove();
        return new StreamClock(old.getSlot(), name, old.getEpoch());
      }
    }
    // 0 would be known to everybody: an allocation may be a stream's first operation.
    return new StreamClock(slots++, name, 1);
  }

  void retire(StreamClock clock) {
    retired.add(clock);
  }
}
