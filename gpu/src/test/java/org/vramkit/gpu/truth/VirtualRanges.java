package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;
import static org.vramkit.gpu.truth.Probe.PAGE;

import java.nio.ByteBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.VirtualMemory;

/** Reservations, physical memory, mappings and access. */
final class VirtualRanges implements Topic {
  private static final long FOUR = 4 * MIB;

  @Override
  public void run(Lab lab) {
    lab.probe("VG", p -> p.say("granularity", p.device.getVirtualMemory().getGranularity()));
    for (long bytes : new long[] {-1, 0, 1, 4096, 65536, 3 * MIB, PAGE, 6 * MIB, 1L << 40}) {
      lab.probe("VS" + bytes, p -> sizes(p, bytes));
    }
    for (long bytes : new long[] {PAGE, 20 * MIB, 64 * MIB, 1024 * MIB}) {
      lab.probe("VC" + bytes, p -> costs(p, bytes));
    }
    lab.probe("VM", VirtualRanges::maps);
    lab.probe("VT", VirtualRanges::twice);
    lab.probe("VU", VirtualRanges::unmaps);
    lab.probe("VA", VirtualRanges::accesses);
    lab.probe("VN", VirtualRanges::withoutAccess);
    lab.probe("VR", VirtualRanges::reservations);
    lab.probe("VH", VirtualRanges::handles);
    lab.probe("VB", VirtualRanges::border);
    lab.probe("VX", VirtualRanges::across);
  }

  private static void sizes(Probe p, long bytes) {
    p.call("reservation of " + bytes, () -> p.reserve(bytes));
    p.call("create of " + bytes, () -> p.physical(bytes));
  }

  private static void costs(Probe p, long bytes) {
    long before = p.free();
    long address = p.reserve(bytes);
    p.say("free memory after a reservation of " + bytes, p.free() - before);
    long handle = p.physical(bytes);
    p.say("after the create", p.free() - before);
    p.map(address, bytes, handle);
    p.say("after the map", p.free() - before);
    p.access(address, bytes);
    p.say("after the access", p.free() - before);
    p.release(handle);
    p.say("after the release", p.free() - before);
    p.unmap(address, bytes);
    p.say("after the unmap", p.free() - before);
  }

  private static void maps(Probe p) {
    VirtualMemory virtual = p.device.getVirtualMemory();
    long range = p.reserve(16 * MIB);
    long two = p.physical(PAGE);
    long four = p.physical(FOUR);
    p.call("map of 2 MiB of a handle of 4 MiB", () -> virtual.map(range, PAGE, four));
    p.call("map of 4 MiB of a handle of 2 MiB", () -> virtual.map(range, FOUR, two));
    p.call("map at 64 KiB", () -> virtual.map(range + 65536, PAGE, two));
    p.call("map of 1 MiB", () -> virtual.map(range, MIB, two));
    p.call("map of 0", () -> virtual.map(range, 0, two));
    p.call("map without a reservation", () -> virtual.map(1L << 40, PAGE, two));
    p.call("map before the reservation", () -> virtual.map(range - PAGE, FOUR, four));
    p.call("map of an unknown handle", () -> virtual.map(range, PAGE, 12345));
    p.call("map", () -> p.map(range, PAGE, two));
    p.call("the same map again", () -> virtual.map(range, PAGE, two));
    p.call("map over the mapping and behind it", () -> virtual.map(range, FOUR, four));
    p.call("map of the second over it", () -> virtual.map(range + PAGE, FOUR, four));
    p.call("unmap of that", () -> virtual.unmap(range + PAGE, FOUR));
    p.call("unmap of half of the other", () -> virtual.unmap(range, MIB));
    p.call("end of the reservation while mapped", () -> virtual.unreserve(range, 16 * MIB));
    p.call("unmap", () -> p.unmap(range, PAGE));
    p.call("unmap again", () -> virtual.unmap(range, PAGE));
  }

  private static void twice(Probe p) {
    Stream stream = p.stream();
    long range = p.reserve(8 * MIB);
    long handle = p.physical(PAGE);
    p.map(range, PAGE, handle);
    p.call("map of one handle at a second address", () -> p.map(range + FOUR, PAGE, handle));
    p.call("access to the first", () -> p.access(range, PAGE));
    p.call("fill of the first", () -> stream.fill(range, (byte) 7, PAGE));
    p.call("fill of the second", () -> stream.fill(range + FOUR, (byte) 7, PAGE));
    p.call("access to the second", () -> p.access(range + FOUR, PAGE));
    p.say("its bytes are those of the first", read(stream, range + FOUR));
    p.call("access again", () -> p.access(range + FOUR, PAGE));
    long before = p.free();
    p.call("unmap of the first", () -> p.unmap(range, PAGE));
    p.say("free memory", p.free() - before);
    p.say("bytes of the second", read(stream, range + FOUR));
    p.call("release", () -> p.release(handle));
    p.say("free memory", p.free() - before);
    p.call("unmap of the second", () -> p.unmap(range + FOUR, PAGE));
    p.say("free memory", p.free() - before);
  }

  private static int read(Stream stream, long address) {
    ByteBuffer found = ByteBuffer.allocate(1);
    stream.copyToHost(found, address);
    return found.get(0);
  }

  private static void unmaps(Probe p) {
    VirtualMemory virtual = p.device.getVirtualMemory();
    long range = p.reserve(16 * MIB);
    p.call("unmap of a reserved range", () -> virtual.unmap(range, PAGE));
    p.call("unmap of the whole reservation", () -> virtual.unmap(range, 16 * MIB));
    p.call("unmap of what is not reserved", () -> virtual.unmap(1L << 40, PAGE));
    p.call("unmap of 0", () -> virtual.unmap(range, 0));
    p.map(range, PAGE, p.physical(PAGE));
    p.map(range + FOUR, PAGE, p.physical(PAGE));
    p.call("unmap over mapping, hole, mapping", () -> virtual.unmap(range, 6 * MIB));
    p.call("map anew", () -> p.map(range, PAGE, p.physical(PAGE)));
    p.call("map beside it", () -> p.map(range + PAGE, PAGE, p.physical(PAGE)));
    p.call("unmap over both", () -> virtual.unmap(range, FOUR));
    p.call("map of 4 MiB", () -> p.map(range, FOUR, p.physical(FOUR)));
    p.call("unmap of its first half", () -> virtual.unmap(range, PAGE));
    p.call("unmap of its second half", () -> virtual.unmap(range + PAGE, PAGE));
    p.call("unmap of more", () -> virtual.unmap(range, 8 * MIB));
    p.call("access then", () -> p.access(range, FOUR));
    p.call("unmap beyond the reservation", () -> virtual.unmap(range, 32 * MIB));
  }

  private static void accesses(Probe p) {
    long range = p.reserve(16 * MIB);
    p.call("access to a reserved range", () -> p.access(range, PAGE));
    p.map(range, FOUR, p.physical(FOUR));
    p.call("access to the first half of a mapping", () -> p.access(range, PAGE));
    p.call("access to the second half", () -> p.access(range + PAGE, PAGE));
    p.call("access to a mapping and a hole", () -> p.access(range, 8 * MIB));
    p.call("fill", () -> p.stream().fill(range, (byte) 1, 16));
    p.map(range + FOUR, FOUR, p.physical(FOUR));
    p.call("access to two mappings", () -> p.access(range, 8 * MIB));
    p.call("fill over both", () -> p.stream().fill(range, (byte) 1, 8 * MIB));
    p.call("access of 0", () -> p.access(range, 0));
    p.call("access to 1 MiB", () -> p.access(range, MIB));
    p.call("access to one and a half", () -> p.access(range, 6 * MIB));
    p.call("access to what is not reserved", () -> p.access(1L << 40, PAGE));
    p.call("fill behind both", () -> p.stream().fill(range + 8 * MIB, (byte) 1, 1));
    p.call("fill over the end", () -> p.stream().fill(range + 8 * MIB - 1, (byte) 1, 2));
  }

  private static void withoutAccess(Probe p) {
    Stream stream = p.stream();
    long range = p.reserve(PAGE);
    ByteBuffer heap = ByteBuffer.allocate(65536);
    p.call("fill of a reserved range", () -> stream.fill(range, (byte) 1, 16));
    p.call("copy to a reserved range", () -> stream.copyToDevice(range, heap));
    p.map(range, PAGE, p.physical(PAGE));
    p.call("fill without access", () -> stream.fill(range, (byte) 1, 16));
    p.call("copy from a heap buffer without access", () -> stream.copyToDevice(range, heap));
    p.call("copy to a heap buffer without access", () -> stream.copyToHost(heap, range));
    p.call("copy on the device from it", () -> stream.copy(p.lab.work, range, 16));
    p.call("copy on the device to it", () -> stream.copy(range, p.lab.work, 16));
    p.call("page-locked copy to it", () -> stream.copyToDevice(range, p.lab.flags, 0, 16));
    p.call("wait", stream::synchronize);
    p.access(range, PAGE);
    p.call("fill with access", () -> stream.fill(range, (byte) 1, PAGE));
    p.call("wait", stream::synchronize);
    p.unmap(range, PAGE);
    p.call("fill after the unmap", () -> stream.fill(range, (byte) 1, 16));
    p.map(range, PAGE, p.physical(PAGE));
    p.call("fill after another map without access", () -> stream.fill(range, (byte) 1, 16));
  }

  private static void reservations(Probe p) {
    VirtualMemory virtual = p.device.getVirtualMemory();
    long range = p.reserve(8 * MIB);
    p.call("end of the first half", () -> virtual.unreserve(range, FOUR));
    p.call("end of the second half", () -> virtual.unreserve(range + FOUR, FOUR));
    p.call("end of more", () -> virtual.unreserve(range, 16 * MIB));
    p.call("end", () -> p.unreserve(range, 8 * MIB));
    p.call("end again", () -> virtual.unreserve(range, 8 * MIB));
    p.call("end of an unknown address", () -> virtual.unreserve(1L << 40, PAGE));
    long before = p.free();
    for (int power : new int[] {40, 44, 46}) {
      p.call("reservation of 2^" + power, () -> p.reserve(1L << power));
    }
    p.call("reservation of 200 TiB", () -> p.reserve(200L << 40));
    p.say("free memory", p.free() - before);
  }

  private static void handles(Probe p) {
    VirtualMemory virtual = p.device.getVirtualMemory();
    long handle = p.physical(FOUR);
    p.call("release", () -> p.release(handle));
    p.call("release again", () -> virtual.release(handle));
    long range = p.reserve(FOUR);
    p.call("map of a released handle", () -> virtual.map(range, FOUR, handle));
    p.call("release of 0", () -> virtual.release(0));
    long mapped = p.physical(FOUR);
    p.map(range, FOUR, mapped);
    p.call("release while mapped", () -> p.release(mapped));
    p.call("access then", () -> p.access(range, FOUR));
    p.call("fill then", () -> p.stream().fill(range, (byte) 1, FOUR));
    p.call("map of it elsewhere", () -> virtual.map(p.reserve(FOUR), FOUR, mapped));
  }

  private static void border(Probe p) {
    VirtualMemory virtual = p.device.getVirtualMemory();
    long first = p.reserve(32 * MIB);
    long second = p.reserve(32 * MIB);
    boolean adjacent = second - first == 32 * MIB;
    p.say("two reservations of 32 MiB adjacent", adjacent);
    if (adjacent) {
      long at = second - PAGE;
      p.call("map of one handle across the border", () -> p.map(at, FOUR, p.physical(FOUR)));
      p.call("access across", () -> p.access(at, FOUR));
      p.call("fill across", () -> p.stream().fill(at, (byte) 1, FOUR));
      p.call("end of the first", () -> virtual.unreserve(first, 32 * MIB));
      p.call("end of the second", () -> virtual.unreserve(second, 32 * MIB));
      p.call("unmap across", () -> p.unmap(at, FOUR));
      p.map(at, PAGE, p.physical(PAGE));
      p.map(second, PAGE, p.physical(PAGE));
      p.call("access over two mappings across", () -> p.access(at, FOUR));
      p.call("fill over both", () -> p.stream().fill(at, (byte) 1, FOUR));
      p.call("unmap over both", () -> virtual.unmap(at, FOUR));
    }
  }

  private static void across(Probe p) {
    Stream stream = p.stream();
    long range = p.reserve(8 * MIB);
    p.map(range, FOUR, p.physical(FOUR));
    p.map(range + FOUR, FOUR, p.physical(FOUR));
    p.access(range, 8 * MIB);
    long at = range + FOUR - 8;
    p.call("fill across mappings", () -> stream.fill(at, (byte) 3, 16));
    p.call("copy from across", () -> stream.copy(p.lab.work, at, 16));
    p.call("copy to across", () -> stream.copy(at, p.lab.work, 16));
    p.call("copy to a heap buffer", () -> stream.copyToHost(ByteBuffer.allocate(16), at));
    p.call("page-locked copy", () -> stream.copyToHost(p.lab.flags, 0, at, 16));
    p.call("wait", stream::synchronize);
  }
}
