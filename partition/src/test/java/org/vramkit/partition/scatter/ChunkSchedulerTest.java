package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The scheduler of chunks, while a thread does not begin")
class ChunkSchedulerTest {
  private static final long UNITS = 1000;
  private static final long MILLI = 1_000_000;

  private final Member overdueChunks = new Member(0, null, 1, 0, Long.MAX_VALUE, 2);
  private final Member idle = new Member(1, null, 1, 0, Long.MAX_VALUE, 2);
  private final ChunkScheduler scheduler =
      new ChunkScheduler(
          List.of(overdueChunks, idle),
          List.of(Piece.fresh(0, UNITS)),
          Schedule.guided(),
          List.of(),
          UNITS);

  @Test
  @DisplayName("a chunk that does not begin moves to an idle member, even while units are left")
  void unitsLeft() {
    List<Chunk> assigned = scheduler.assign(0);
    assertEquals(List.of(overdueChunks, idle), assigned.stream().map(each -> each.member).toList());
    Chunk waiting = assigned.get(0);
    assertNull(scheduler.queuedTooLong(assigned, 2 * MILLI), "both have something to do");
    scheduler.finished(assigned.get(1), MILLI);
    assertFalse(scheduler.isAllAssigned());
    assertNull(scheduler.queuedTooLong(List.of(waiting), MILLI), "it may begin any moment");
    assertSame(waiting, scheduler.queuedTooLong(List.of(waiting), MILLI + 1));
  }

  @Test
  @DisplayName("units of a chunk that was taken back are divided into chunks of the least size")
  void returnedUnits() {
    for (long units = 64; units < 1024; units += 8) {
      ChunkScheduler few =
          new ChunkScheduler(
              List.of(overdueChunks, idle),
              List.of(Piece.fresh(0, units)),
              Schedule.guided().withMinChunkSize(64),
              List.of(),
              units);
      long now = 0;
      while (!few.isAllAssigned()) {
        List<Chunk> assigned = few.assign(now);
        now += MILLI;
        for (int i = 0; i < assigned.size(); i++) {
          Chunk chunk = assigned.get(i);
          long size = chunk.piece.units();
          assertTrue(size >= 64, size + " of " + units);
          if (i == 0 && now < 4 * MILLI) {
            few.dropped(chunk, chunk.piece, now);
          } else {
            few.finished(chunk, now);
          }
        }
      }
    }
  }
}
