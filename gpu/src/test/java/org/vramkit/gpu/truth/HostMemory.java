package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;

import java.nio.ByteBuffer;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.PinnedMemory;
import org.vramkit.api.device.Stream;

/** Page-locked, registered and managed memory: refusals, views, sizes, what they cost. */
final class HostMemory implements Topic {
  @Override
  public void run(Lab lab) {
    lab.probe("HP", HostMemory::pageLocked);
    lab.probe("HR", HostMemory::registered);
    lab.probe("HO", HostMemory::overlaps);
    lab.probe("HK", HostMemory::otherKinds);
    lab.probe("HM", HostMemory::managed);
    lab.probe("HL", HostMemory::large);
    for (long bytes : new long[] {1, 4096, 65536, 2 * MIB, 3 * MIB, 64 * MIB}) {
      lab.probe("HD" + bytes, p -> costs(p, bytes));
    }
  }

  private static void pageLocked(Probe p) {
    PinnedMemory memory = p.device.getPinnedMemory();
    p.call("alloc of 0", () -> memory.allocate(0));
    p.call("alloc of -1", () -> memory.allocate(-1));
    PinnedBuffer buffer = p.pinned(100);
    p.say("size of 100", buffer.getSize());
    views(p, buffer);
    p.say("free memory after 64 MiB", p.change(() -> p.pinned(64 * MIB)));
  }

  private static void views(Probe p, PinnedBuffer buffer) {
    p.call("view of all", () -> buffer.getBytes(0, 100));
    p.call("view of 0 at the end", () -> buffer.getBytes(100, 0));
    p.call("view over the end", () -> buffer.getBytes(99, 2));
    p.call("view from -1", () -> buffer.getBytes(-1, 1));
    p.call("view of -1", () -> buffer.getBytes(0, -1));
  }

  private static void registered(Probe p) {
    PinnedMemory memory = p.device.getPinnedMemory();
    p.call("register of a heap buffer", () -> memory.register(ByteBuffer.allocate(4096)));
    p.call("register of an empty buffer", () -> memory.register(ByteBuffer.allocateDirect(0)));
    ByteBuffer direct = Calls.direct(16384);
    p.call("register of a read-only one", () -> memory.register(direct.asReadOnlyBuffer()));
    PinnedBuffer locked = p.kept(memory.register(direct));
    p.say("size", locked.getSize());
    p.call("the same again", () -> memory.register(direct));
    p.call("its half", () -> memory.register(direct.duplicate().position(8192)));
    p.call("a part inside", () -> memory.register(direct.duplicate().position(4096).limit(8192)));
    Stream stream = p.stream();
    stream.fill(locked.getAddress(), (byte) 3, 16384);
    stream.synchronize();
    p.say("a fill is seen in the caller's buffer", direct.get(100));
    locked.close();
    p.say("its bytes after the close", direct.get(100));
    p.call("copy from it then", () -> stream.copyToDevice(p.lab.work, locked, 0, 16));
    p.call("fill of it by its address then", () -> stream.fill(p.lab.work, (byte) 1, 1));
    p.call("register anew", () -> p.kept(memory.register(direct)));
    ByteBuffer part = Calls.direct(8192).position(100).limit(612);
    PinnedBuffer some = p.kept(memory.register(part));
    p.say("size of a part", some.getSize());
    p.say("its address begins at the position", some.getAddress() % 4096);
  }

  private static void overlaps(Probe p) {
    PinnedMemory memory = p.device.getPinnedMemory();
    ByteBuffer pages = Calls.direct(16384);
    p.call("6000 bytes", () -> p.kept(memory.register(pages.duplicate().limit(6000))));
    p.call(
        "the next 6000, in the same page",
        () -> p.kept(memory.register(pages.duplicate().position(6000).limit(12000))));
    p.call(
        "the last byte of the first",
        () -> memory.register(pages.duplicate().position(5999).limit(6000)));
    p.call(
        "over the end of the second",
        () -> memory.register(pages.duplicate().position(11999).limit(13000)));
    p.call(
        "behind the second",
        () -> p.kept(memory.register(pages.duplicate().position(12000).limit(12001))));
  }

  private static void otherKinds(Probe p) {
    PinnedMemory memory = p.device.getPinnedMemory();
    PinnedBuffer pinned = p.pinned(8192);
    p.call("register of page-locked memory", () -> memory.register(pinned.getBytes(0, 8192)));
    p.call("register of a part of it", () -> memory.register(pinned.getBytes(100, 10)));
    PinnedBuffer managed = p.managed(8192);
    p.call("register of managed memory", () -> memory.register(managed.getBytes(0, 8192)));
    p.call("register of a part of it", () -> memory.register(managed.getBytes(4096, 100)));
    Stream stream = p.stream();
    p.call(
        "stream-ordered free of page-locked memory",
        () -> p.device.getStreamOrderedMemory().free(pinned.getAddress(), stream));
    p.call(
        "stream-ordered free of managed memory",
        () -> p.device.getStreamOrderedMemory().free(managed.getAddress(), stream));
    p.call("copy between them", () -> stream.copy(managed.getAddress(), pinned.getAddress(), 64));
    p.call(
        "fill over the end of page-locked memory",
        () -> stream.fill(pinned.getAddress() + 8191, (byte) 1, 1));
    p.call("wait", stream::synchronize);
  }

  private static void managed(Probe p) {
    p.call("alloc of 0", () -> p.device.getManagedMemory().allocate(0));
    p.call("alloc of -1", () -> p.device.getManagedMemory().allocate(-1));
    PinnedBuffer buffer = p.managed(100);
    p.say("size of 100", buffer.getSize());
    views(p, buffer);
    long before = p.free();
    PinnedBuffer large = p.managed(64 * MIB);
    p.say("free memory after a managed alloc of 64 MiB", p.free() - before);
    Stream stream = p.stream();
    stream.fill(large.getAddress(), (byte) 1, 64 * MIB);
    stream.synchronize();
    long address = large.getAddress();
    large.close();
    p.call("fill after the close", () -> stream.fill(address, (byte) 1, 16));
    p.call("wait", stream::synchronize);
  }

  private static void large(Probe p) {
    long total = p.device.getMemoryInfo().totalBytes();
    long before = p.free();
    p.call("managed alloc of 3 GiB", () -> p.managed(3072 * MIB));
    p.call("managed alloc of the total + 1 GiB", () -> p.managed(total + 1024 * MIB));
    p.say("free memory", p.free() - before);
    p.call("managed alloc of 1 PiB", () -> p.device.getManagedMemory().allocate(1L << 50));
    p.call("page-locked alloc of 1 PiB", () -> p.device.getPinnedMemory().allocate(1L << 50));
    p.call("page-locked alloc of 1 GiB", () -> p.pinned(1024 * MIB));
  }

  private static void costs(Probe p, long bytes) {
    long before = p.free();
    PinnedBuffer pinned = p.pinned(bytes);
    p.say("free memory after a page-locked alloc of " + bytes, p.free() - before);
    pinned.close();
    p.say("after its close", p.free() - before);
    PinnedBuffer managed = p.managed(bytes);
    // What the device takes for it later depends on what it kept of earlier managed memory.
    p.say("after a managed alloc", p.free() - before);
    managed.close();
  }
}
