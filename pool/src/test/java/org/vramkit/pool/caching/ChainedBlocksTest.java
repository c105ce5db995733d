package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocation;

@DisplayName("17.26 Blocks that move to the stream's cache together")
class ChainedBlocksTest {
  private static final long BLOCK = 9 * MIB / 2;

  @OnBothMemories
  @DisplayName("are apart there: giving one back gives no other back, which may be in use")
  void eachGoesAlone(VirtualMemoryUse use) throws InterruptedException {
    try (Sandbox box =
        Sandbox.on(
            use,
            builder ->
                builder
                    .moveTime(0.005)
                    .threadCache(40 * MIB)
                    .threadCacheBlock(5 * MIB)
                    .streamCache(512 * MIB))) {
      List<Allocation> live = new ArrayList<>(List.of(box.allocator.allocate(MIB, box.stream)));
      fillStreamCache(box);
      onOtherStripe(
          () -> {
            live.add(box.allocator.allocate(BLOCK, box.stream));
            live.add(box.allocator.allocateAligned(5 * MIB / 2, 2 * MIB, box.stream));
          });
      box.stream.synchronize();
      // From now on an aligned block is sought where free memory happens to lie right.
      box.allocator.setLimit(5 * MIB);
      for (int i = 0; i < 4; i++) {
        live.add(box.allocator.allocateAligned(3 * MIB / 2, 2 * MIB, box.stream));
      }
      assertEquals(addresses(live), liveAddresses(box.allocator));
      assertApart(live);
      live.forEach(Allocation::close);
    }
  }

  private static void fillStreamCache(Sandbox box) {
    List<Allocation> many = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      many.add(box.allocator.allocate(BLOCK, box.stream));
    }
    many.forEach(Allocation::close);
  }

  private static void onOtherStripe(Runnable work) throws InterruptedException {
    Thread thread = new Thread(work);
    while ((thread.getId() & 3) == (Thread.currentThread().getId() & 3)) {
      thread = new Thread(work);
    }
    thread.start();
    thread.join();
  }

  private static Set<Long> addresses(List<Allocation> live) {
    return live.stream().map(Allocation::getAddress).collect(Collectors.toSet());
  }

  private static Set<Long> liveAddresses(CachingAllocator allocator) {
    return allocator.getSnapshot().segments().stream()
        .flatMap(segment -> segment.blocks().stream())
        .filter(block -> block.state() == AllocatorSnapshot.BlockState.LIVE)
        .map(AllocatorSnapshot.BlockView::address)
        .collect(Collectors.toSet());
  }

  private static void assertApart(List<Allocation> live) {
    List<Allocation> sorted = new ArrayList<>(live);
    sorted.sort((one, other) -> Long.compare(one.getAddress(), other.getAddress()));
    for (int i = 1; i < sorted.size(); i++) {
      Allocation before = sorted.get(i - 1);
      long end = before.getAddress() + before.getSize();
      assertTrue(end <= sorted.get(i).getAddress(), before + " and " + sorted.get(i));
    }
  }
}
