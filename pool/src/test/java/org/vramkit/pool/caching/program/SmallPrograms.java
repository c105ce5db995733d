package org.vramkit.pool.caching.program;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

/**
 * Small programs by name, each with one mistake or none, amid allocations of other sizes that make
 * an allocator ask how far streams have come.
 */
final class SmallPrograms {
  private final SimBackend backend;
  private final SimDevice device;
  private final Allocator allocator;
  private final SplittableRandom random;
  private final SimStream a;
  private final SimStream b;
  private final SimStream c;

  private SmallPrograms(SimBackend backend, Allocator allocator, long seed) {
    this.backend = backend;
    this.device = backend.getDevice(0);
    this.allocator = allocator;
    this.random = new SplittableRandom(seed);
    this.a = device.createStream("a");
    this.b = device.createStream("b");
    this.c = device.createStream("c");
  }

  /** A program. */
  interface Small {
    /** Runs it with an allocator of the backend's first device. */
    void run(SimBackend backend, Allocator allocator, long seed);
  }

  private static Small of(Consumer<SmallPrograms> steps) {
    return (backend, allocator, seed) -> {
      SmallPrograms program = new SmallPrograms(backend, allocator, seed);
      steps.accept(program);
      backend.finish();
      program.a.close();
      program.b.close();
      program.c.close();
    };
  }

  /** Those that are right by luck at best. */
  static Map<String, Small> racy() {
    Map<String, Small> all = new TreeMap<>();
    all.put("no event", of(p -> p.use(Order.NONE, block -> p.close(block, p.b))));
    all.put("an event too early", of(p -> p.use(Order.EARLY, block -> p.close(block, p.b))));
    all.put("a wait for another", of(p -> p.use(Order.OTHER, block -> p.close(block, p.b))));
    all.put("three questions", of(p -> p.use(Order.POLLED, block -> p.close(block, p.b))));
    all.put("an answer ignored", of(p -> p.use(Order.IGNORED, block -> p.close(block, p.b))));
    all.put("a write after a read", of(SmallPrograms::writesAfterRead));
    all.put("two writes", of(SmallPrograms::writesTwice));
    all.put("no recordUse", of(p -> p.use(Order.EVENT, Allocation::close)));
    all.put("recordUse of another", of(p -> p.use(Order.EVENT, block -> p.close(block, p.c))));
    all.put("no recordUse, a wait after", of(SmallPrograms::waitsTooLate));
    all.put("use after close", of(SmallPrograms::usesClosed));
    all.put("out of bounds", of(SmallPrograms::usesTooMuch));
    return all;
  }

  /** Those that are in order. */
  static Map<String, Small> correct() {
    Map<String, Small> all = new TreeMap<>();
    all.put("an event", of(p -> p.use(Order.EVENT, block -> p.close(block, p.b))));
    all.put("a chain of events", of(p -> p.use(Order.CHAIN, block -> p.close(block, p.b))));
    all.put("a wait", of(p -> p.use(Order.WAIT, block -> p.close(block, p.b))));
    all.put("asked until done", of(p -> p.use(Order.ASKED, block -> p.close(block, p.b))));
    all.put("the host waits for the use", of(p -> p.use(Order.EVENT, p::closeDone)));
    all.put("the device is waited for", of(p -> p.use(Order.EVENT, p::closeIdle)));
    all.put("asked until the use is done", of(p -> p.use(Order.EVENT, p::closeAsked)));
    all.put("its stream waits for the use", of(p -> p.use(Order.EVENT, p::closeOrdered)));
    all.put("one stream", of(SmallPrograms::staysOnStream));
    all.put("two readers", of(SmallPrograms::readsTwice));
    all.put("two halves", of(SmallPrograms::writesHalves));
    all.put("another's event covers it", of(SmallPrograms::recordsLast));
    return all;
  }

  private enum Order {
    NONE,
    EARLY,
    OTHER,
    POLLED,
    IGNORED,
    EVENT,
    CHAIN,
    WAIT,
    ASKED
  }

  /** One stream writes a block, another reads it, and then it is closed. */
  private void use(Order order, Consumer<Allocation> end) {
    Allocation block = take(a);
    noise();
    if (order == Order.EARLY) {
      after(a, b);
    }
    write(a, block);
    noise();
    try (SimEvent event = device.createEvent()) {
      event.record(a);
      order(order, event);
    }
    noise();
    read(b, block);
    noise();
    end.accept(block);
    noise();
  }

  private void order(Order order, SimEvent event) {
    switch (order) {
      case OTHER -> c.synchronize();
      case POLLED -> {
        for (int i = 0; i < 3 && !event.isComplete(); i++) {
          Thread.onSpinWait();
        }
      }
      case IGNORED -> event.isComplete();
      case EVENT -> b.waitFor(event);
      case CHAIN -> {
        c.waitFor(event);
        after(c, b);
      }
      case WAIT -> event.synchronize();
      case ASKED -> {
        while (!event.isComplete()) {
          backend.advance(1000);
        }
      }
      default -> {}
    }
  }

  private void close(Allocation block, SimStream user) {
    block.recordUse(user);
    block.close();
  }

  private void closeDone(Allocation block) {
    b.synchronize();
    block.close();
  }

  private void closeIdle(Allocation block) {
    device.synchronize();
    block.close();
  }

  private void closeAsked(Allocation block) {
    while (!b.isIdle()) {
      noise();
    }
    block.close();
  }

  private void closeOrdered(Allocation block) {
    after(b, a);
    noise();
    block.close();
  }

  private void waitsTooLate() {
    use(Order.EVENT, Allocation::close);
    device.synchronize();
    take(a).close();
  }

  private void writesAfterRead() {
    use(
        Order.EVENT,
        block -> {
          write(a, block);
          close(block, b);
        });
  }

  private void writesTwice() {
    Allocation block = take(a);
    after(a, b);
    write(a, block);
    noise();
    write(b, block);
    close(block, b);
  }

  private void usesClosed() {
    Allocation block = take(a);
    long address = block.getAddress();
    write(a, block);
    block.close();
    a.launch(SimKernel.named("late").reads(address, 64).build());
  }

  private void usesTooMuch() {
    Allocation block = take(a);
    a.launch(SimKernel.named("more").writes(block.getAddress(), block.getSize() + 1).build());
    block.close();
  }

  private void staysOnStream() {
    for (int i = 0; i < 3; i++) {
      Allocation block = take(a);
      write(a, block);
      read(a, block);
      block.close();
      noise();
    }
  }

  private void readsTwice() {
    use(
        Order.EVENT,
        block -> {
          after(a, c);
          read(c, block);
          block.recordUse(c);
          close(block, b);
        });
  }

  private void writesHalves() {
    Allocation block = take(a);
    after(a, b);
    long half = block.getSize() / 2;
    a.fill(block.getAddress(), (byte) 1, half);
    noise();
    b.fill(block.getAddress() + half, (byte) 2, half);
    close(block, b);
  }

  private void recordsLast() {
    use(
        Order.EVENT,
        block -> {
          after(b, c);
          close(block, c);
        });
  }

  /** What comes next on one stream comes after all of another one. */
  private void after(SimStream before, SimStream next) {
    try (SimEvent event = device.createEvent()) {
      event.record(before);
      next.waitFor(event);
    }
  }

  private Allocation take(SimStream stream) {
    return allocator.allocate(size(), stream);
  }

  private long size() {
    return 128L << random.nextInt(16);
  }

  private static void write(SimStream stream, Allocation block) {
    stream.fill(block.getAddress(), (byte) 1, block.getSize());
  }

  private static void read(SimStream stream, Allocation block) {
    stream.launch(SimKernel.named("read").reads(block.getAddress(), block.getSize()).build());
  }

  /** What another part of the program does meanwhile, on memory of its own. */
  private void noise() {
    SimStream stream = random.nextBoolean() ? b : random.nextBoolean() ? a : c;
    switch (random.nextInt(5)) {
      case 0 -> {
        Allocation block = take(stream);
        write(stream, block);
        block.close();
        allocator.allocate(block.getSize() * 3 / 2, c).close();
      }
      case 1 -> allocator.trim(0);
      case 2 -> {
        Allocation block = take(stream);
        write(stream, block);
        close(block, c);
        take(b).close();
      }
      case 3 -> take(stream).close();
      default -> {}
    }
  }
}
