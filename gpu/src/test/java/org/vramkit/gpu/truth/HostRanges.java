package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;
import static org.vramkit.gpu.truth.Probe.PAGE;

import java.nio.ByteBuffer;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.PinnedMemory;
import org.vramkit.api.device.Stream;

/** Parts, neighbours, repetitions and ends of page-locked, registered and managed memory. */
final class HostRanges implements Topic {
  private static final int PAGE_4K = 4096;

  @Override
  public void run(Lab lab) {
    lab.probe("FR", HostRanges::registrations);
    lab.probe("FA", HostRanges::registerAnew);
    lab.probe("FM", HostRanges::mixed);
    lab.probe("FC", HostRanges::copies);
    lab.probe("FF", HostRanges::fills);
    lab.probe("FD", HostRanges::distances);
    lab.probe("FG", HostRanges::managed);
    lab.probe("FW", HostRanges::whileQueued);
    lab.probe("FP", HostRanges::plainFrees);
  }

  private static void registrations(Probe p) {
    PinnedMemory memory = p.device.getPinnedMemory();
    ByteBuffer pages = Calls.direct(16 * PAGE_4K);
    for (int[] range :
        new int[][] {
          {0, 1},
          {1, 2},
          {0, 1},
          {2, PAGE_4K},
          {PAGE_4K, PAGE_4K + 1},
          {PAGE_4K - 1, PAGE_4K + 1},
          {PAGE_4K + 1, 3 * PAGE_4K},
          {2 * PAGE_4K, 4 * PAGE_4K},
          {5 * PAGE_4K + 7, 6 * PAGE_4K + 9},
          {6 * PAGE_4K + 9, 8 * PAGE_4K},
          {4 * PAGE_4K, 16 * PAGE_4K},
          {8 * PAGE_4K, 16 * PAGE_4K},
          {3 * PAGE_4K, 5 * PAGE_4K + 7}
        }) {
      p.call(
          "register bytes " + range[0] + " to " + range[1],
          () -> p.kept(memory.register(pages.duplicate().position(range[0]).limit(range[1]))));
    }
  }

  private static void registerAnew(Probe p) {
    PinnedMemory memory = p.device.getPinnedMemory();
    ByteBuffer pages = Calls.direct(4 * PAGE_4K);
    PinnedBuffer first = p.kept(memory.register(pages.duplicate().limit(2 * PAGE_4K)));
    PinnedBuffer second = p.kept(memory.register(pages.duplicate().position(2 * PAGE_4K)));
    p.call("close of the first of two adjacent ones", first::close);
    p.call("its bytes and the first of the second", () -> memory.register(upTo(pages, 2, 1)));
    p.call("its bytes", () -> p.kept(memory.register(upTo(pages, 2, 0))));
    p.call("the first again", () -> memory.register(upTo(pages, 2, 0)));
    p.call("close of the closed again", first::close);
    p.call("close of the second", second::close);
    p.call("copy from the closed", () -> copyFrom(p, first));
    p.call("view of the closed", () -> second.getBytes(0, 1));
    p.call("the second half by another slice", () -> p.kept(memory.register(half(pages))));
    p.call("all", () -> memory.register(pages));
  }

  private static ByteBuffer upTo(ByteBuffer pages, int count, int more) {
    return pages.duplicate().limit(count * PAGE_4K + more);
  }

  private static ByteBuffer half(ByteBuffer pages) {
    return pages.duplicate().position(2 * PAGE_4K).slice();
  }

  private static void copyFrom(Probe p, PinnedBuffer buffer) {
    p.stream().copyToDevice(p.lab.work, buffer, 0, 16);
  }

  private static void mixed(Probe p) {
    PinnedMemory memory = p.device.getPinnedMemory();
    PinnedBuffer pinned = p.pinned(4 * PAGE_4K);
    p.call("the first byte of page-locked memory", () -> memory.register(pinned.getBytes(0, 1)));
    p.call("its last", () -> memory.register(pinned.getBytes(4 * PAGE_4K - 1, 1)));
    p.call("its second page", () -> memory.register(pinned.getBytes(PAGE_4K, PAGE_4K)));
    PinnedBuffer managed = p.managed(PAGE);
    p.call("managed memory, a byte", () -> memory.register(managed.getBytes(0, 1)));
    p.call("managed memory, its last page", () -> memory.register(last(managed)));
    PinnedBuffer own = p.kept(memory.register(Calls.direct(PAGE_4K)));
    p.call("a view of a registered buffer", () -> memory.register(own.getBytes(0, 16)));
    own.close();
    p.call("a view of a closed one", () -> memory.register(own.getBytes(0, 16)));
  }

  private static ByteBuffer last(PinnedBuffer buffer) {
    return buffer.getBytes(PAGE - PAGE_4K, PAGE_4K);
  }

  private static void copies(Probe p) {
    Stream stream = p.stream();
    PinnedBuffer first = p.pinned(100);
    PinnedBuffer second = p.pinned(100);
    long memory = p.plain(4096);
    p.call("copy to the last byte", () -> stream.copyToHost(first, 99, memory, 1));
    p.call("over the end", () -> stream.copyToHost(first, 99, memory, 2));
    p.call("from behind the end", () -> stream.copyToDevice(memory, first, 100, 1));
    p.call("of 0 from behind the end", () -> stream.copyToDevice(memory, first, 100, 0));
    p.call("between two of them", () -> stream.copy(first.getAddress(), second.getAddress(), 100));
    p.call("within one", () -> stream.copy(first.getAddress(), first.getAddress() + 50, 50));
    p.call("onto itself", () -> stream.copy(first.getAddress(), first.getAddress(), 100));
    p.call("to a closed one", () -> toClosed(p, stream, memory));
    PinnedBuffer managed = p.managed(100);
    p.call("to managed memory", () -> stream.copyToHost(managed, 0, memory, 100));
    p.call("from managed memory", () -> stream.copyToDevice(memory, managed, 50, 50));
    p.call("between them", () -> stream.copy(managed.getAddress(), first.getAddress(), 100));
    p.call("heap to managed", () -> stream.copyToDevice(managed.getAddress(), heap(100)));
    p.call("managed to heap", () -> stream.copyToHost(heap(100), managed.getAddress()));
    p.call("heap to page-locked", () -> stream.copyToDevice(first.getAddress(), heap(100)));
    p.call("page-locked to heap", () -> stream.copyToHost(heap(100), first.getAddress()));
    p.call("wait", stream::synchronize);
  }

  private static void toClosed(Probe p, Stream stream, long memory) {
    PinnedBuffer closed = p.pinned(100);
    closed.close();
    stream.copyToHost(closed, 0, memory, 1);
  }

  private static ByteBuffer heap(int bytes) {
    return ByteBuffer.allocate(bytes);
  }

  /** Fills by addresses of the host, whose ends the driver knows in its units. */
  private static void fills(Probe p) {
    Stream stream = p.stream();
    PinnedBuffer pinned = p.pinned(PAGE_4K);
    long at = pinned.getAddress();
    p.call("fill of page-locked memory", () -> stream.fill(at, (byte) 1, PAGE_4K));
    p.call("of its last byte", () -> stream.fill(at + PAGE_4K - 1, (byte) 1, 1));
    p.call("of 0 behind it", () -> stream.fill(at + PAGE_4K, (byte) 1, 0));
    pinned.close();
    PinnedBuffer managed = p.managed(3 * PAGE_4K);
    long start = managed.getAddress();
    p.call("fill of managed memory", () -> stream.fill(start, (byte) 1, 3 * PAGE_4K));
    p.call("of its last byte", () -> stream.fill(start + 3 * PAGE_4K - 1, (byte) 1, 1));
    p.call("wait", stream::synchronize);
    p.say("its bytes", managed.getBytes(3 * PAGE_4K - 1, 1).get(0));
    managed.close();
    p.call("fill of closed managed memory", () -> stream.fill(start, (byte) 1, 1));
    PinnedBuffer registered =
        p.kept(p.device.getPinnedMemory().register(Calls.direct(2 * PAGE_4K)));
    long first = registered.getAddress();
    p.call("fill of registered memory", () -> stream.fill(first, (byte) 1, 2 * PAGE_4K));
    p.call("wait", stream::synchronize);
  }

  private static void distances(Probe p) {
    long[] sizes = {1, 700, PAGE_4K, 1, 65536, 512, MIB, 100, PAGE, 1};
    PinnedBuffer[] pinned = new PinnedBuffer[sizes.length];
    PinnedBuffer[] managed = new PinnedBuffer[sizes.length];
    for (int i = 0; i < sizes.length; i++) {
      pinned[i] = p.pinned(sizes[i]);
      managed[i] = p.managed(sizes[i]);
      p.say(
          "page-locked and managed memory of " + sizes[i] + ": aligned to 512",
          (pinned[i].getAddress() % 512 == 0) + "; " + (managed[i].getAddress() % 512 == 0));
    }
    for (int i : new int[] {1, 4, 7}) {
      long was = pinned[i].getAddress();
      pinned[i].close();
      p.say("of " + sizes[i] + ": its address comes back", p.pinned(sizes[i]).getAddress() == was);
      long managedWas = managed[i].getAddress();
      managed[i].close();
      boolean same = p.managed(sizes[i]).getAddress() == managedWas;
      p.say("managed of " + sizes[i] + ": its address comes back", same);
    }
  }

  private static void managed(Probe p) {
    Stream stream = p.stream();
    PinnedBuffer buffer = p.managed(PAGE);
    ByteBuffer bytes = buffer.getBytes(0, (int) PAGE);
    p.say(
        "new managed memory: first and last byte", bytes.get(0) + " " + bytes.get((int) PAGE - 1));
    stream.fill(buffer.getAddress(), (byte) 5, PAGE / 2);
    stream.synchronize();
    p.say("half filled", bytes.get(0) + " " + bytes.get((int) PAGE - 1));
    bytes.put((int) PAGE - 1, (byte) 9);
    stream.copy(buffer.getAddress(), buffer.getAddress() + PAGE - 1, 1);
    stream.synchronize();
    p.say("a byte of the host, copied by the device", bytes.get(0));
    PinnedBuffer small = p.managed(1);
    stream.copy(small.getAddress(), buffer.getAddress(), 1);
    stream.synchronize();
    p.say("a managed byte", small.getBytes(0, 1).get(0));
    long address = buffer.getAddress();
    p.call("plain free of an interior address", () -> p.device.getMemory().free(address + 4096));
    p.call("plain free", () -> p.device.getMemory().free(address));
    p.call("again", () -> p.device.getMemory().free(address));
    p.call("close", buffer::close);
    p.call("fill by its address", () -> stream.fill(address, (byte) 1, 1));
  }

  private static void whileQueued(Probe p) {
    Stream stream = p.stream();
    Busy busy = p.busy(stream);
    PinnedBuffer unused = p.pinned(PAGE_4K);
    p.say("page-locked memory made beside work", busy.state());
    PinnedBuffer managed = p.managed(PAGE_4K);
    p.say("managed memory", busy.state());
    PinnedBuffer registered = p.kept(p.device.getPinnedMemory().register(Calls.direct(PAGE_4K)));
    p.say("registered memory", busy.state());
    unused.getBytes(0, 1).put(0, (byte) 1);
    managed.getBytes(0, 1).put(0, (byte) 1);
    p.say("writes of the host", busy.state());
    registered.close();
    p.say("the close of registered memory", busy.state());
    Stream other = p.stream();
    Busy second = p.busy(other);
    managed.close();
    p.say("the close of managed memory that nothing used", second.state());
    Busy third = p.busy(p.device.getDefaultStream());
    unused.close();
    p.say("the close of page-locked memory beside the default stream", third.state());
  }

  private static void plainFrees(Probe p) {
    PinnedBuffer pinned = p.pinned(PAGE_4K);
    long at = pinned.getAddress();
    p.call("plain free of page-locked memory", () -> p.device.getMemory().free(at));
    p.call("of an interior address", () -> p.device.getMemory().free(at + 512));
    PinnedBuffer registered = p.kept(p.device.getPinnedMemory().register(Calls.direct(PAGE_4K)));
    p.call("of registered memory", () -> p.device.getMemory().free(registered.getAddress()));
    p.call("view of it", () -> registered.getBytes(0, 1));
    p.call("close of it", registered::close);
    p.call("close of the other", pinned::close);
    p.call("plain free then", () -> p.device.getMemory().free(at));
  }
}
