package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicReference;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.TagScope;
import org.vramkit.api.allocator.Tags;

/** Lincheck makes instances of it, so it is public. */
@DisplayName("In every order of two threads a tag's scope")
@Tag("own-schedules")
public class TagScopesLincheckTest {
  private final AtomicReference<@Nullable TagScope> outermost = new AtomicReference<>();

  /** A scope that another thread has closed: the close has returned. */
  private volatile @Nullable TagScope closed;

  /** A fresh one for each order. */
  public TagScopesLincheckTest() {}

  /** Of the scopes that this thread opens another one may close the first. */
  @Operation
  public void opens() {
    TagScope outer = Tags.open("outer");
    outermost.set(outer);
    TagScope middle = Tags.open("middle");
    TagScope inner = Tags.open("inner");
    assertEquals("inner", Tags.current());
    inner.close();
    assertEquals("middle", Tags.current());
    middle.close();
    boolean before = closed == outer;
    String left = Tags.current();
    assertTrue(left.isEmpty() || (left.equals("outer") && !before), left);
    outer.close();
    assertEquals("", Tags.current());
  }

  @Operation
  public void closesOfAnotherThread() {
    TagScope found = outermost.get();
    if (found != null) {
      found.close();
      closed = found;
    }
    assertEquals("", Tags.current());
  }

  @Test
  @DisplayName("counts for its own thread until any thread closes it, and leaves nothing behind")
  void nested() {
    EveryOrder.checkAssertions(TagScopesLincheckTest.class, 3 * EveryOrder.ORDERS);
  }
}
