package org.vramkit.pool.decorator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.AllocatorKind;
import org.vramkit.pool.PoolScene;

@DisplayName("Decorators tell their figures, and end once")
class DecoratorFiguresTest {
  private final PoolScene scene = new PoolScene(AllocatorKind.CACHING_ON_PAGES);

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  @DisplayName("R3 a limit is reached to the byte, and tells what is used and what is left")
  void limit() {
    LimitingAllocator limiting = scene.closing(LimitingAllocator.over(scene.allocator, 1000));
    assertEquals(1000, limiting.getLimit());
    Allocation most = limiting.allocate(999, scene.s1);
    Allocation last = limiting.allocate(1, scene.s1);
    assertEquals(1000, limiting.getUsedBytes());
    assertEquals(0, limiting.getAvailableBytes());
    limiting.allocate(0, scene.s1).close();
    assertThrows(DeviceOutOfMemoryException.class, () -> limiting.allocate(1, scene.s1));
    last.close();
    assertEquals(1, limiting.getAvailableBytes());
    most.close();
  }

  @Test
  @DisplayName("R3 a limit of 0 lets nothing through, a negative one is refused")
  void limitOfZero() {
    LimitingAllocator none = scene.closing(LimitingAllocator.over(scene.allocator, 0));
    none.allocate(0, scene.s1).close();
    assertThrows(DeviceOutOfMemoryException.class, () -> none.allocate(1, scene.s1));
    assertThrows(InvalidArgumentException.class, () -> LimitingAllocator.over(scene.allocator, -1));
  }

  @Test
  @DisplayName("a decorator is named by what it is and over what")
  void names() {
    LimitingAllocator limiting = scene.closing(LimitingAllocator.over(scene.allocator, 1000));
    assertEquals("LimitingAllocator over " + scene.allocator, limiting.toString());
    try (Allocation beneath = scene.allocator.allocate(500, scene.s1);
        Allocation through = limiting.allocate(500, scene.s1)) {
      String address = Long.toHexString(beneath.getAddress());
      assertEquals(
          beneath.toString().replace(address, Long.toHexString(through.getAddress())),
          through.toString());
    }
  }

  @Test
  @DisplayName("R10 a trace begins at 0, whatever the clock says then")
  void traceBegins() {
    AtomicLong nanos = new AtomicLong(7_000_000);
    StringWriter text = new StringWriter();
    TraceRecorder recorder = new TraceRecorder(scene.allocator, text, nanos::get);
    nanos.addAndGet(3_000);
    recorder.allocate(700, scene.s1).close();
    recorder.close();
    text.toString()
        .lines()
        .skip(1)
        .forEach(line -> assertEquals("3", line.substring(line.lastIndexOf(',') + 1), line));
  }

  @Test
  @DisplayName("R10 a recorder closes its writer once, and tells all that the writer failed by")
  void writerEndsOnce() {
    AtomicInteger closes = new AtomicInteger();
    IOException full = new IOException("full");
    IOException broken = new IOException("broken");
    Writer writer =
        new Writer() {
          @Override
          public void write(char[] buffer, int offset, int length) throws IOException {
            throw full;
          }

          @Override
          public void flush() {}

          @Override
          public void close() throws IOException {
            closes.incrementAndGet();
            throw broken;
          }
        };
    TraceRecorder recorder = TraceRecorder.over(scene.allocator, writer);
    UncheckedIOException e = assertThrows(UncheckedIOException.class, recorder::close);
    recorder.close();
    assertEquals(full, e.getCause());
    assertEquals(broken, full.getSuppressed()[0]);
    assertEquals(1, closes.get());
  }

  @Test
  @DisplayName("R10 a writer that fails only at its end is reported too")
  void failingEnd() {
    IOException broken = new IOException("broken");
    Writer writer =
        new StringWriter() {
          @Override
          public void close() throws IOException {
            throw broken;
          }
        };
    TraceRecorder recorder = TraceRecorder.over(scene.allocator, writer);
    assertEquals(broken, assertThrows(UncheckedIOException.class, recorder::close).getCause());
  }
}
