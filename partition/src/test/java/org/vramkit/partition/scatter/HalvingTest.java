package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Event;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.Tile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.LeakKind;

@DisplayName("S5: tiles that are halved")
class HalvingTest {

  @Test
  @DisplayName("16 a piece's work is done and its stream closed before the next piece begins")
  void onePieceAfterTheOther() {
    try (SimBackend backend = backend(1);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      List<Tile> pieces = new ArrayList<>();
      List<Event> ends = new ArrayList<>();
      ScatterReport report =
          scatter.run(
              10,
              tile -> {
                assertTrue(ends.stream().allMatch(Event::isComplete), "after " + pieces);
                SimStream stream = (SimStream) tile.getStream();
                stream.launch(SimKernel.named("work").taking(1_000_000).build());
                Event end = tile.getDevice().createEvent();
                end.record(stream);
                ends.add(end);
                long streams =
                    backend.getLeaks().stream()
                        .filter(each -> each.kind() == LeakKind.STREAM)
                        .count();
                assertEquals(1, streams, "after " + pieces);
                if (tile.getTile().getUnits() > 3) {
                  throw new DeviceOutOfMemoryException(1, DriverStatus.NONE);
                }
                pieces.add(tile.getTile());
              });
      assertEquals(
          List.of(new Tile(0, 0, 2), new Tile(0, 2, 5), new Tile(0, 5, 7), new Tile(0, 7, 10)),
          pieces);
      assertEquals(3, report.halvings());
      assertEquals(List.of(new Tile(0, 0, 10)), report.tiles());
      ends.forEach(Event::close);
      assertClean(backend);
    }
  }
}
