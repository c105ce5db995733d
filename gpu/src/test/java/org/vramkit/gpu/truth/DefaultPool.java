package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.UNIT;

import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamOrderedMemory;

/** The device's default pool. */
final class DefaultPool {
  private DefaultPool() {}

  static void basics(Probe p) {
    StreamOrderedMemory pool = p.device.getStreamOrderedMemory();
    Stream stream = p.stream();
    long before = p.free();
    long address = pool.allocate(1, stream);
    p.say("default pool: free memory after an alloc of 1", p.free() - before);
    long second = pool.allocate(UNIT, stream);
    p.say("after one of 32 MiB", p.free() - before);
    pool.free(address, stream);
    pool.free(second, stream);
    p.say("after the frees", p.free() - before);
    stream.synchronize();
    p.say("after a wait", p.free() - before);
    p.call("alloc of 0", () -> pool.allocate(0, stream));
    p.call("free of 0", () -> pool.free(0, stream));
    p.call("free again", () -> pool.free(address, stream));
    p.say("alloc and free on the default stream", p.lab.elsewhere(() -> onDefault(p)));
    p.say("free memory", p.free() - before);
  }

  private static void onDefault(Probe p) {
    StreamOrderedMemory pool = p.device.getStreamOrderedMemory();
    Stream main = p.device.getDefaultStream();
    pool.free(pool.allocate(1, main), main);
    main.synchronize();
  }
}
