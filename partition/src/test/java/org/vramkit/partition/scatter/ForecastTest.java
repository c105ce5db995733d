package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.InvalidArgumentException;

@DisplayName("S5: Forecasts of scatters")
class ForecastTest {
  private static final double[] RATES = {1000, 2000, 3000, 2000};

  @Test
  @DisplayName(
      "25 a plan by right scores takes what it must; by wrong ones it waits for the slowest")
  void planned() {
    assertEquals(1_000_000_000, Forecast.of(8000, Schedule.planned(), RATES, RATES).nanos());
    double[] equal = {1, 1, 1, 1};
    assertEquals(2_000_000_000, Forecast.of(8000, Schedule.planned(), equal, RATES).nanos());
  }

  @Test
  @DisplayName("25 guided chunks even out what scores have wrong, the same every time")
  void guided() {
    double[] wrong = {3, 1, 1, 1};
    ScatterReport report = Forecast.of(8000, Schedule.guided(), wrong, RATES);
    Units.assertCovered(report.tiles(), 8000);
    assertTrue(report.nanos() < 1_030_000_000, "" + report.nanos());
    assertEquals(report.runs(), Forecast.of(8000, Schedule.guided(), wrong, RATES).runs());
    ScatterReport again = Forecast.of(8000, Schedule.recorded(report.getOrder()), wrong, RATES);
    assertEquals(report.getOrder(), again.getOrder());
  }

  @Test
  @DisplayName("1 nothing to do takes no time; what cannot be is refused")
  void edges() {
    assertEquals(0, Forecast.of(0, Schedule.guided(), RATES, RATES).nanos());
    assertEquals(List.of(), Forecast.of(0, Schedule.planned(), RATES, RATES).tiles());
    for (double[] wrong : new double[][] {{}, {1, 2, 3, -1}, {1, 2, 3, Double.NaN}, {1}}) {
      assertThrows(
          InvalidArgumentException.class, () -> Forecast.of(9, Schedule.guided(), wrong, RATES));
    }
    assertThrows(
        InvalidArgumentException.class, () -> Forecast.of(-1, Schedule.guided(), RATES, RATES));
    assertThrows(
        InvalidArgumentException.class,
        () -> Forecast.of(9, Schedule.guided(), RATES, new double[4]));
  }

  @Test
  @DisplayName("25 a scatter longer than the range of times is rejected, not forecast too short")
  void endless() {
    for (Schedule schedule : List.of(Schedule.planned(), Schedule.guided())) {
      for (double rate : new double[] {1e-308, 1}) {
        double[] rates = {rate, rate};
        InvalidArgumentException e =
            assertThrows(
                InvalidArgumentException.class,
                () -> Forecast.of(Long.MAX_VALUE, schedule, rates, rates));
        assertTrue(e.toString().contains("longer than 53375 days; pass fewer"), e.toString());
      }
      double[] slow = {1e-9};
      assertEquals(4e18, (double) Forecast.of(4, schedule, slow, slow).nanos(), 1e9);
    }
  }

  @Test
  @DisplayName("25 scores up to the largest double divide as their ratios do")
  void largestScores() {
    double[] scores = {Double.MAX_VALUE, Double.MAX_VALUE, Double.MIN_VALUE};
    double[] ratios = {1, 1, 1e-300};
    double[] rates = {1000, 1000, 1000};
    for (Schedule schedule : List.of(Schedule.planned(), Schedule.guided())) {
      assertEquals(
          Forecast.of(8000, schedule, ratios, rates).runs(),
          Forecast.of(8000, schedule, scores, rates).runs());
    }
  }

  @Test
  @DisplayName(
      "25 a scatter that is shorter than a microsecond is rejected, even if rates overflow")
  void tooShort() {
    double[] scores = {1, 1};
    for (double rate : new double[] {Double.MAX_VALUE, 1e308, 1e12}) {
      double[] rates = {rate, rate};
      for (Schedule schedule : List.of(Schedule.planned(), Schedule.guided())) {
        InvalidArgumentException e =
            assertThrows(
                InvalidArgumentException.class, () -> Forecast.of(100, schedule, scores, rates));
        assertTrue(e.toString().contains("less than a microsecond"), e.toString());
        assertEquals(0, Forecast.of(0, schedule, scores, rates).nanos());
      }
    }
    double[] fast = {1e12, 1e12};
    assertEquals(1_000_000, Forecast.of(2_000_000_000, Schedule.planned(), scores, fast).nanos());
  }
}
