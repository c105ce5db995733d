package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.MIB;
import static org.vramkit.gpu.truth.Probe.PAGE;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;

/** Units of plain memory, what a block costs, refusals, and memory that runs out. */
final class PlainMemory implements Topic {
  private static final long[] SIZES = {
    1,
    511,
    512,
    513,
    4096,
    65536,
    524288,
    1048064,
    1048576,
    1048577,
    1572864,
    2097151,
    2097152,
    2097153,
    3145728,
    4194304,
    5242880,
    34603008,
    104857601,
    1073741825
  };

  @Override
  public void run(Lab lab) {
    for (long bytes : SIZES) {
      lab.probe("MA" + bytes, p -> alone(p, bytes));
      lab.probe("MB" + bytes, p -> besideSmall(p, bytes));
      lab.probe("MF" + bytes, p -> freedInOrder(p, bytes));
    }
    for (long bytes : new long[] {512, 4096, 524288, 716800, 1048576, 1048577}) {
      lab.probe("MS" + bytes, p -> falls(p, bytes));
    }
    lab.probe("MC", PlainMemory::countOfSmall);
    lab.probe("MR", PlainMemory::refusals);
    lab.probe("MK", PlainMemory::otherKinds);
    lab.probe("MW", PlainMemory::content);
    lab.probe("MO", PlainMemory::outOfMemory);
  }

  private static void alone(Probe p, long bytes) {
    long before = p.free();
    long address = p.plain(bytes);
    p.say("free memory after an alloc of " + bytes, p.free() - before);
    p.freePlain(address);
    p.say("after its free", p.free() - before);
  }

  private static void besideSmall(Probe p, long bytes) {
    p.plain(1);
    long before = p.free();
    long address = p.plain(bytes);
    p.say("beside a block of 1 byte: free memory after an alloc of " + bytes, p.free() - before);
    p.freePlain(address);
    p.say("after its free", p.free() - before);
  }

  private static void freedInOrder(Probe p, long bytes) {
    long before = p.free();
    long[] blocks = new long[4];
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = p.plain(bytes);
    }
    List<Long> changes = new ArrayList<>();
    changes.add(p.free() - before);
    for (int i : new int[] {1, 3, 0, 2}) {
      p.freePlain(blocks[i]);
      changes.add(p.free() - before);
    }
    p.say("four of " + bytes + ", freed as 2nd, 4th, 1st, 3rd: free memory after each", changes);
  }

  private static void falls(Probe p, long bytes) {
    List<Long> falls = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      falls.add(-p.change(() -> p.plain(bytes)));
    }
    p.say("eight allocs of " + bytes + ": falls of free memory", falls);
  }

  private static void countOfSmall(Probe p) {
    long before = p.free();
    List<Long> blocks = new ArrayList<>();
    blocks.add(p.plain(1));
    long first = p.free();
    while (p.free() == first && blocks.size() < 5000) {
      blocks.add(p.plain(1));
    }
    p.say("blocks of 1 byte until free memory falls again", blocks.size());
    p.say("then fallen in all by", before - p.free());
    for (long each : blocks.subList(1, blocks.size())) {
      p.freePlain(each);
    }
    p.say("all but the first freed: still fallen by", before - p.free());
    p.freePlain(blocks.get(0));
    p.say("all freed", before - p.free());
  }

  private static void refusals(Probe p) {
    p.call("alloc of 0", () -> p.device.getMemory().allocate(0));
    p.call("alloc of -1", () -> p.device.getMemory().allocate(-1));
    p.call("alloc of Long.MAX_VALUE", () -> p.device.getMemory().allocate(Long.MAX_VALUE));
    p.call("alloc of 1 PiB", () -> p.device.getMemory().allocate(1L << 50));
    p.call("free of 0", () -> p.device.getMemory().free(0));
    p.call("free of -1", () -> p.device.getMemory().free(-1));
    p.call("free of an unknown address", () -> p.device.getMemory().free(1L << 40));
    long block = p.plain(4 * MIB);
    for (long offset : new long[] {1, 512, PAGE, 4 * MIB}) {
      p.call("free of a block + " + offset, () -> p.device.getMemory().free(block + offset));
    }
    long small = p.plain(1024);
    p.call("free of 1 KiB + 512", () -> p.device.getMemory().free(small + 512));
    p.call("free", () -> p.freePlain(block));
    p.call("free again", () -> p.device.getMemory().free(block));
    p.call("free of 1 KiB", () -> p.freePlain(small));
    p.call("free again", () -> p.device.getMemory().free(small));
  }

  private static void otherKinds(Probe p) {
    long mapped = p.mapped(PAGE);
    p.call("plain free of mapped memory", () -> p.device.getMemory().free(mapped));
    long reserved = p.reserve(PAGE);
    p.call("plain free of reserved addresses", () -> p.device.getMemory().free(reserved));
    PinnedBuffer pinned = p.pinned(4096);
    p.call(
        "plain free of page-locked memory", () -> p.device.getMemory().free(pinned.getAddress()));
    PinnedBuffer managed = p.managed(4096);
    long address = managed.getAddress();
    p.call("plain free of managed memory", () -> p.device.getMemory().free(address));
    p.call("its view then", () -> managed.getBytes(0, 1));
    p.call("its close then", managed::close);
    Stream stream = p.stream();
    long plain = p.plain(PAGE);
    p.call(
        "stream-ordered free of plain memory",
        () -> p.device.getStreamOrderedMemory().free(plain, stream));
    p.call("plain free then", () -> p.device.getMemory().free(plain));
    p.call("wait", stream::synchronize);
    long before = p.free();
    long pooled = p.device.getStreamOrderedMemory().allocate(PAGE, stream);
    stream.synchronize();
    p.call("plain free of memory of the default pool", () -> p.device.getMemory().free(pooled));
    p.call("again", () -> p.device.getMemory().free(pooled));
    p.say("free memory", p.free() - before);
    stream.synchronize();
    p.say("free memory after a wait for the stream", p.free() - before);
    p.device.synchronize();
    p.say("free memory after a wait for the device", p.free() - before);
  }

  private static void content(Probe p) {
    Stream stream = p.stream();
    long block = p.plain(3 * MIB);
    long next = p.plain(PAGE);
    p.call("fill of the whole block", () -> stream.fill(block, (byte) 1, 3 * MIB));
    p.call("fill that ends a byte behind it", () -> stream.fill(block + 1, (byte) 1, 3 * MIB));
    p.call("fill of 4 MiB over 3 MiB", () -> stream.fill(block, (byte) 1, 4 * MIB));
    p.call("fill of a byte behind it", () -> stream.fill(block + 3 * MIB, (byte) 1, 1));
    p.call("fill before it", () -> stream.fill(block - 1, (byte) 1, 2));
    p.call("copy that ends behind it", () -> stream.copy(next, block + MIB + 1, PAGE));
    p.call("copy onto itself", () -> stream.copy(block, block, MIB));
    p.call("overlapping copy", () -> stream.copy(block + 1, block, MIB));
    p.call("fill of 0 bytes at an unknown address", () -> stream.fill(1L << 40, (byte) 1, 0));
    p.call("fill of -1 bytes", () -> stream.fill(block, (byte) 1, -1));
    p.call("fill at an unknown address", () -> stream.fill(1L << 40, (byte) 1, 1));
    long small = p.plain(100);
    p.call("fill of 100 of 100", () -> stream.fill(small, (byte) 1, 100));
    p.call("fill of 512 of 100", () -> stream.fill(small, (byte) 1, 512));
    p.call("fill of 513 of 100", () -> stream.fill(small, (byte) 1, 513));
    p.call("wait", stream::synchronize);
    p.freePlain(next);
    p.call("fill of freed memory", () -> stream.fill(next, (byte) 1, 1));
    p.call("wait", stream::synchronize);
  }

  private static void outOfMemory(Probe p) {
    long total = p.device.getMemoryInfo().totalBytes();
    p.call("alloc of the total", () -> p.plain(total));
    long free = p.free();
    p.call("alloc of free memory + 1 GiB", () -> p.plain(free + 1024 * MIB));
    p.call(
        "create of free memory + 2 MiB, rounded",
        () -> p.release(p.physical(free / PAGE * PAGE + PAGE)));
    p.call("alloc of free memory - 1 GiB", () -> p.plain(p.free() - 1024 * MIB));
    p.call("alloc of 1 GiB + 256 MiB then", () -> p.plain(1280 * MIB));
    p.call("alloc of 512 MiB then", () -> p.plain(512 * MIB));
    p.call("managed alloc of 2 GiB then", () -> p.managed(2048 * MIB));
    p.call("pool alloc of 2 GiB then", () -> p.pooled(p.pool(), 2048 * MIB, p.stream()));
  }
}
