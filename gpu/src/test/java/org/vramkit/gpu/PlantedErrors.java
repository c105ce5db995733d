package org.vramkit.gpu;

import java.util.List;
import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.TagScope;
import org.vramkit.api.allocator.Tags;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.pool.caching.CachingAllocator;

/**
 * Makes twenty invalid accesses inside the driver's memory, which compute-sanitizer can only find
 * because the backend {@code ffm} reports blocks to it. Prints each access and its address before
 * it happens. The backend logs each block with its tag to standard error.
 */
@SuppressWarnings("try") // scopes of tags are held, not called
final class PlantedErrors {
  private static final String POKE =
      """
      .version 6.0
      .target sm_50
      .address_size 64

      .visible .entry poke(
        .param .u64 x_param
      )
      {
        .reg .u16 %v;
        .reg .u64 %x;

        ld.param.u64 %x, [x_param];
        cvta.to.global.u64 %x, %x;
        mov.u16 %v, 7;
        st.global.u8 [%x], %v;
        ret;
      }
      """;

  private static final List<Long> PAST_THE_END =
      List.of(1L, 300L, 512L, 5_000L, 1L << 20, (3L << 20) + 1, 40L << 20, 100L << 20);
  private static final List<Long> AFTER_THE_CLOSE =
      List.of(512L, 4_096L, 1L << 20, 3L << 20, 40L << 20, 100L << 20);
  private static final List<Long> RECYCLED = List.of(1L << 20, 3L << 20, 8L << 20, 64L << 20);

  /** A static reference, because unreachable loggers are collected. */
  private static final Logger BLOCKS = Logger.getLogger("org.vramkit.ffm");

  private final CachingAllocator allocator;
  private final Stream stream;
  private final Kernel kernel;
  private int planted;

  private PlantedErrors(CachingAllocator allocator, Stream stream) {
    this.allocator = allocator;
    this.stream = stream;
    kernel = stream.getDevice().loadModule(POKE).getKernel("poke");
  }

  public static void main(String[] arguments) {
    logBlocks();
    try (Backend backend = Backends.open("ffm");
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Stream stream = allocator.getDevice().createStream()) {
      PlantedErrors errors = new PlantedErrors(allocator, stream);
      errors.writeRightly();
      PAST_THE_END.forEach(errors::pastTheEnd);
      errors.beforeTheStart(512);
      errors.beforeTheStart(4L << 20);
      AFTER_THE_CLOSE.forEach(errors::afterTheClose);
      RECYCLED.forEach(errors::recycled);
      errors.writeRightly();
      System.out.println(errors.planted + " planted");
    }
  }

  private static void logBlocks() {
    Handler all = new ConsoleHandler();
    all.setLevel(Level.FINE);
    BLOCKS.addHandler(all);
    BLOCKS.setUseParentHandlers(false);
    BLOCKS.setLevel(Level.FINE);
  }

  /** Makes correct accesses, which must not be reported. */
  private void writeRightly() {
    for (long bytes : PAST_THE_END) {
      try (Allocation block = allocator.allocate(bytes, stream)) {
        write(block.getAddress());
        write(block.getAddress() + bytes - 1);
      }
    }
    stream.synchronize();
  }

  /** Queues a write of one byte to an address. */
  private void write(long address) {
    stream.launch(kernel, LaunchConfig.of(1, 1), address);
  }

  private void pastTheEnd(long bytes) {
    try (TagScope scope = next();
        Allocation block = allocator.allocate(bytes, stream)) {
      plant("past the end of " + bytes, block.getAddress() + bytes);
    }
  }

  private void beforeTheStart(long bytes) {
    Allocation witness = allocator.allocate(1, stream);
    Allocation before = allocator.allocate(bytes, stream);
    try (TagScope scope = next();
        Allocation block = allocator.allocate(bytes, stream)) {
      before.close();
      settle(witness);
      plant("before the start of " + bytes, block.getAddress() - 1);
    }
  }

  private void afterTheClose(long bytes) {
    Allocation witness = allocator.allocate(1, stream);
    try (TagScope scope = next()) {
      Allocation block = allocator.allocate(bytes, stream);
      long address = block.getAddress();
      block.close();
      settle(witness);
      plant("after the close of " + bytes, address + bytes / 2);
    }
  }

  private void recycled(long bytes) {
    Allocation witness = allocator.allocate(1, stream);
    try (TagScope scope = next()) {
      Allocation block = allocator.allocate(bytes, stream);
      long old = block.getAddress();
      block.close();
      try (Allocation next = allocator.allocate(bytes * 5 / 8, stream)) {
        settle(witness);
        String where = Long.toHexString(next.getAddress());
        // The next block overlaps only a part of the old one.
        long left = next.getAddress() > old ? old : old + bytes - 1;
        plant("recycled of " + bytes + ", the next owner's at 0x" + where, left);
      }
    }
  }

  private TagScope next() {
    planted++;
    return Tags.open("planted/" + planted);
  }

  /** Waits for all work and closes one more block, upon which the backend reports freed blocks. */
  private void settle(Allocation witness) {
    stream.synchronize();
    witness.close();
  }

  private void plant(String what, long address) {
    System.out.printf("planted/%d: %s, write to 0x%x%n", planted, what, address);
    write(address);
    stream.synchronize();
  }
}
