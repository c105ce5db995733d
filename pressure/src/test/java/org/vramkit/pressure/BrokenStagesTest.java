package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("42.23 The stages of an admission")
class BrokenStagesTest {
  private final CountedMemory memory = new CountedMemory(100);
  private final Admission admission = Admission.over(memory).build();

  private CompletableFuture<Grant> ask(long bytes) {
    return admission.acquireAsync(Demand.of("job", bytes)).toCompletableFuture();
  }

  @Test
  @DisplayName("fail one after the other once it is broken, none inside of another")
  void many() {
    Grant all = admission.acquire(Demand.of("all", 90), Duration.ZERO);
    List<Integer> depths = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      var unused =
          ask(90)
              .whenComplete((grant, error) -> depths.add(new Throwable().getStackTrace().length));
    }
    admission.lock.brokenBy = new StackOverflowError("planned");
    admission.close();
    all.close();
    assertEquals(200, depths.size());
    assertEquals(1, Set.copyOf(depths).size(), depths.toString());
    assertEquals(0, memory.getLive());
  }

  @Test
  @DisplayName("are not kept once refused")
  void refused() {
    for (int i = 0; i < 50; i++) {
      assertTrue(ask(1000).isCompletedExceptionally());
    }
    assertEquals(Map.of(), admission.lock.stages);
    admission.close();
    assertEquals(0, memory.getLive());
  }
}
