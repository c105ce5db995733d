package org.vramkit.pool.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.EveryOrder;

/** Lincheck makes instances of it, so it is public. */
@DisplayName("In every order of two threads a mark")
@Tag("own-schedules")
public class MarkLincheckTest {
  private final CountedEvent event = new CountedEvent();
  private final Mark mark = Mark.of(new HandleStream(device(event), 7));
  private volatile boolean given;

  /** A fresh one for each order. */
  public MarkLincheckTest() {}

  private static Device device(Event event) {
    return (Device)
        Proxy.newProxyInstance(
            Device.class.getClassLoader(),
            new Class<?>[] {Device.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "getMemoryObserver" -> MemoryObserver.NONE;
                  // Lincheck compares what it calls.
                  case "equals" -> self == arguments[0];
                  case "hashCode" -> System.identityHashCode(self);
                  default -> event;
                });
  }

  /** An event that must not be touched once it is closed. */
  private static final class CountedEvent implements Event {
    private final AtomicInteger closes = new AtomicInteger();

    @Override
    public Device getDevice() {
      throw new UnsupportedOperationException("nobody asks");
    }

    @Override
    public void record(Stream stream) {}

    @Override
    public boolean isComplete() {
      assertEquals(0, closes.get(), "asked after its end");
      return false;
    }

    @Override
    public void synchronize() {
      assertEquals(0, closes.get(), "waited for after its end");
    }

    @Override
    public void close() {
      assertEquals(1, closes.incrementAndGet(), "ended twice");
    }
  }

  @Operation
  public void asks() {
    mark.isPassed();
  }

  @Operation
  public void waits() {
    mark.await();
  }

  @Operation
  public void gives() {
    given = true;
    mark.close();
  }

  @Validate
  public void endsOnce() {
    assertEquals(given ? 1 : 0, event.closes.get(), "events that were given back");
  }

  @Test
  @DisplayName("17.7 ends once, with the last that leaves, and nobody asks an event that has ended")
  void endsWithTheLast() {
    EveryOrder.checkAssertions(MarkLincheckTest.class, EveryOrder.ORDERS);
  }
}
