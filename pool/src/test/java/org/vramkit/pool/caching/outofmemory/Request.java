package org.vramkit.pool.caching.outofmemory;

import org.vramkit.sim.SimStream;

/** A request for memory, which was refused. */
record Request(long bytes, long alignment, int pool, SimStream stream) {
  Request of(long other) {
    return new Request(other, alignment, pool, stream);
  }
}
