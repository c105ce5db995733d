package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.error.DriverException;
import org.vramkit.cuda.driver.ContextCalls;
import org.vramkit.sim.SimBackend;

@DisplayName("A thread that cannot be left as it was found changes no call's outcome")
class ThreadContextTest {
  private static final SimulatedProcess.Context OURS = new SimulatedProcess.Context(0);

  private final SimulatedDriver driver = new SimulatedDriver(SimBackend.builder().build());
  private final ContextCalls contexts = mock(ContextCalls.class, delegatesTo(driver.contexts()));
  private final System.Logger logger = mock(System.Logger.class);
  private final ThreadContext context =
      new ThreadContext(
          contexts,
          new DriverErrors(driver.devices(), new ProcessHealth()),
          "the context of a test",
          () -> logger);

  /** Makes the driver refuse to restore the previous state, in which no context was current. */
  private void refuseToLeave() {
    doReturn(999)
        .when(contexts)
        .cuCtxSetCurrent(argThat(each -> each != null && each.getAddress() == 0));
  }

  @Test
  @DisplayName(
      "a failure to restore the context loses no result: the call returns it and logs the"
          + " failure")
  void success() {
    refuseToLeave();
    assertEquals(600, context.with(OURS, () -> 600));
    verify(logger).log(eq(System.Logger.Level.WARNING), anyString(), any(DriverException.class));
  }

  @Test
  @DisplayName("a call's own error is thrown, with the other one suppressed")
  void failure() {
    refuseToLeave();
    IllegalStateException own = new IllegalStateException("of the call");
    IllegalStateException told =
        assertThrows(
            IllegalStateException.class,
            () ->
                context.with(
                    OURS,
                    () -> {
                      throw own;
                    }));
    assertSame(own, told);
    assertInstanceOf(DriverException.class, told.getSuppressed()[0]);
    verifyNoInteractions(logger);
  }

  @Test
  @DisplayName("the close of a binding, which has no other outcome, fails")
  void binding() {
    int[] ends = new int[1];
    DeviceBinding bound = context.bind(OURS, () -> ends[0]++);
    refuseToLeave();
    assertThrows(DriverException.class, bound::close);
    assertArrayEquals(new int[] {1}, ends, "ended all the same");
  }
}
