package org.vramkit.pool.caching.internal.leak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.LeakDetection;
import org.vramkit.pool.caching.LeakReport;
import org.vramkit.pool.caching.internal.event.PoolObserver;

@DisplayName("22.3 Leaks are logged")
class LeakReporterTest {
  private final List<LeakReport> heard = new ArrayList<>();
  private final LeakReporter reporter = new LeakReporter(heard::add, PoolObserver.NONE);
  private final Logger logger = Logger.getLogger(LeakReport.class.getName());
  private final List<String> lines = new ArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          lines.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
  }

  @AfterEach
  void leave() {
    logger.removeHandler(handler);
    logger.setUseParentHandlers(true);
  }

  private void leak(String tag) {
    reporter.report(new LeakReport(512, 100, "0x0", tag, "main", List.of()), LeakDetection.ALL);
  }

  @Test
  @DisplayName("of one kind the first, second, fourth and so on, with how many there were")
  void powersOfTwo() {
    for (int i = 0; i < 100; i++) {
      leak("loop");
    }
    assertEquals(7, lines.size(), lines::toString);
    assertTrue(lines.get(0).contains("tag \"loop\""), lines.get(0));
    assertTrue(lines.get(6).contains("(64 like this so far)"), lines.get(6));
    assertEquals(100, heard.size());
  }

  @Test
  @DisplayName("42.14 with how many there may be in all, as an estimate, where they are sampled")
  void estimates() {
    for (int i = 0; i < 4; i++) {
      reporter.report(
          new LeakReport(512, 100, "0x0", "loop", "main", List.of()), LeakDetection.SAMPLED);
    }
    assertEquals(3, lines.size(), lines::toString);
    String tracked = "one in 128 allocations is tracked";
    assertTrue(
        lines
            .get(0)
            .contains("(found 1 like this so far; " + tracked + ", so an estimate of 128 in"),
        lines.get(0));
    assertTrue(
        lines
            .get(2)
            .contains("(found 4 like this so far; " + tracked + ", so an estimate of 512 in"),
        lines.get(2));
  }

  @Test
  @DisplayName("logs as many failures of a listener, while the listener receives every leak")
  void failingListener() {
    List<LeakReport> told = new ArrayList<>();
    LeakReporter failing =
        new LeakReporter(
            leak -> {
              told.add(leak);
              throw new IllegalStateException("no place for it");
            },
            PoolObserver.NONE);
    for (int i = 0; i < 100; i++) {
      failing.report(new LeakReport(512, 100, "0x0", "loop", "main", List.of()), LeakDetection.ALL);
    }
    assertEquals(100, told.size());
    List<String> failures = lines.stream().filter(line -> line.startsWith("VRK-L003")).toList();
    assertEquals(7, failures.size(), failures::toString);
    assertEquals("VRK-L003 a leak listener failed", failures.get(0));
    assertEquals("VRK-L003 a leak listener failed, 64 times so far", failures.get(6));
  }

  @Test
  @DisplayName("of many kinds only a bounded number separately, and the number of the others")
  void manyKinds() {
    int count = LeakReporter.MOST_KINDS + 5000;
    for (int i = 0; i < count; i++) {
      leak("request " + i);
    }
    // 5000 others: the 1st, 2nd, 4th to the 4096th.
    assertEquals(LeakReporter.MOST_KINDS + 13, lines.size());
    String last = lines.get(lines.size() - 1);
    assertTrue(last.contains("4096 so far beyond the first 1024 kinds of tag and stack"), last);
    assertTrue(last.contains("tag \"request 5119\""), last);
    assertEquals(count, heard.size(), "listeners hear of each");

    lines.clear();
    leak("request 7");
    assertTrue(lines.get(0).contains("(2 like this so far)"), "a kind that is told apart stays so");
  }
}
