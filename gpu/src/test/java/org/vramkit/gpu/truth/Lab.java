package org.vramkit.gpu.truth;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.units.ByteSize;

/**
 * A backend that is prepared for probes: the driver has done what it does once, and memory for
 * queued work and for its flags is allocated.
 */
final class Lab implements AutoCloseable {
  static final int SLOTS = 1 << 20;
  static final long WORK = ByteSize.GIB;
  private static final int STREAMS = 24;

  final Backend backend;
  final Device device;
  final PinnedBuffer flags;
  final long work;

  /** A byte of 1, which queued work copies to a flag. */
  final long one;

  private final ExecutorService elsewhere = Executors.newSingleThreadExecutor();
  private final Consumer<String> lines;
  private final List<Stream> kept = new ArrayList<>();
  private int slot;

  Lab(Backend backend, int ordinal, Consumer<String> lines) {
    this.backend = backend;
    this.device = backend.getDevice(ordinal);
    this.lines = lines;
    this.work = device.getMemory().allocate(WORK + 2 * ByteSize.MIB);
    this.one = work + WORK;
    this.flags = device.getPinnedMemory().allocate(SLOTS);
    use();
  }

  /** Lets the driver allocate what it keeps for its own use. */
  private void use() {
    List<Stream> streams = new ArrayList<>();
    for (int i = 0; i < STREAMS; i++) {
      streams.add(device.createStream(i % 3 == 0 ? StreamKind.BLOCKING : StreamKind.NON_BLOCKING));
    }
    streams.add(device.getDefaultStream());
    for (Stream stream : streams) {
      stream.fill(one, (byte) 1, 512);
      stream.copy(work, one, 512);
      stream.copyToHost(flags, 0, one, 1);
      try (Event event = device.createEvent()) {
        event.record(stream);
        device.getDefaultStream().waitFor(event);
      }
    }
    Stream first = streams.get(1);
    if (device.supports(Capability.DRIVER_POOLS)) {
      try (DriverPool pool = device.getDriverPools().create(0)) {
        pool.free(pool.allocate(1, first), first);
        first.synchronize();
      }
      device
          .getStreamOrderedMemory()
          .free(device.getStreamOrderedMemory().allocate(1, first), first);
    }
    device.synchronize();
    streams.forEach(Stream::close);
  }

  /** Makes a probe, which may say several things, and ends what it leaves behind. */
  void probe(String id, Consumer<Probe> body) {
    Probe probe = new Probe(this, id, lines);
    try {
      probe.run(body);
    } finally {
      probe.end();
    }
  }

  /**
   * Makes a probe of two devices. Only that of this device, which the body gets first, may say what
   * it observes.
   */
  void probe(String id, Lab second, BiConsumer<Probe, Probe> body) {
    Probe here = new Probe(this, id, lines);
    Probe there = new Probe(second, id, lines);
    try {
      here.run(first -> body.accept(first, there));
    } finally {
      here.endCaptures();
      there.end();
      here.end();
    }
  }

  /** Runs an action on another thread, always the same, and waits for its end. */
  String elsewhere(Runnable action) {
    try {
      return elsewhere.submit(() -> Probe.outcome(action)).get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Closes a stream together with this. */
  Stream kept(Stream stream) {
    kept.add(stream);
    return stream;
  }

  /** Returns the index of a flag that is 0. */
  int newFlag() {
    slot++;
    flags.getBytes(slot, 1).put(0, (byte) 0);
    return slot;
  }

  @Override
  public void close() {
    elsewhere.shutdown();
    kept.forEach(Stream::close);
    device.synchronize();
    flags.close();
    device.getMemory().free(work);
  }
}
