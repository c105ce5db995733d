package org.vramkit.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.examples.transformer.ModelSize;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("The step that trains a transformer on a real GPU")
class TransformerStepsTest {
  private static final ModelSize SMALL = new ModelSize(1, 2, 16, 8, 128);

  @Test
  @DisplayName("finds equal losses on two simulators")
  void rehearsal() {
    try (SimBackend one = SimBackend.builder().schedule(Schedule.random()).build();
        SimBackend other = SimBackend.builder().build()) {
      assertEquals(0, TransformerSteps.apart(one, other, SMALL));
      assertEquals(List.of(), one.getHazards());
      assertEquals(List.of(), other.getHazards());
      assertEquals(List.of(), other.getLeaks());
    }
  }
}
