package org.vramkit.pool.workspace;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.sim.SimStream;

/** Leases that tests take. */
final class Leases {
  private Leases() {}

  static void leaseAtOnce(WorkspacePool pool, int count, long bytes, SimStream stream) {
    List<WorkspaceLease> leases = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      leases.add(pool.acquire(bytes, stream));
    }
    leases.forEach(WorkspaceLease::close);
  }
}
