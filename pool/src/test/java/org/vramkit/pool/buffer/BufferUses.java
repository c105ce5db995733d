package org.vramkit.pool.buffer;

import org.vramkit.pool.PoolScene;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimStream;

/** Uses of buffers on streams. */
final class BufferUses {
  private BufferUses() {}

  /** Lets another stream work on a buffer of s1, in order. */
  static void useOn(PoolScene scene, SimStream stream, TypedBuffer buffer) {
    try (SimEvent event = scene.device.createEvent()) {
      event.record(scene.s1);
      stream.waitFor(event);
    }
    scene.work(stream, buffer.getAddress(), buffer.getSize());
    buffer.recordUse(stream);
  }
}
