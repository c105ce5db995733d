package org.vramkit.pool.ending;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Whichever call to the driver goes wrong, of an allocator or a pool")
@Tag("virtual-time")
class EveryCallBreaksTest {

  @ParameterizedTest
  @EnumSource
  @DisplayName("17.16 its books add up, the next try succeeds, and all goes back")
  void refused(Kind kind) {
    eachCall(kind, Breakage.REFUSED);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName(
      "17.16 for a lack of memory, its books add up, the next try succeeds, and all goes back")
  void shortOfMemory(Kind kind) {
    eachCall(kind, Breakage.OUT_OF_MEMORY);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName(
      "42.23 as the JVM has no heap or no stack left, it says so, and its close loses nothing")
  void jvmAtItsEnd(Kind kind) {
    eachCall(kind, Breakage.JVM_AT_ITS_END);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("17.6 and loses the device, the allocator can be closed and leaves nothing behind")
  void lost(Kind kind) {
    eachCall(kind, Breakage.LOST);
  }

  private static void eachCall(Kind kind, Breakage breakage) {
    EndingProgram whole = new EndingProgram(kind::create, breakage, 0);
    whole.run();
    List<String> calls = whole.calls();
    assertTrue(calls.size() > 20, "calls: " + calls);
    for (int nth = 1; nth <= calls.size(); nth++) {
      if (breakage.mayHit(calls.get(nth - 1))) {
        breakCall(kind, breakage, nth, calls.get(nth - 1));
      }
    }
  }

  private static void breakCall(Kind kind, Breakage breakage, int nth, String call) {
    EndingProgram program = null;
    try {
      program = new EndingProgram(kind::create, breakage, nth);
      if (breakage == Breakage.LOST) {
        program.runAndLose();
      } else if (breakage == Breakage.JVM_AT_ITS_END) {
        program.runAndBreak();
      } else {
        program.run();
      }
      assertTrue(program.isBroken(), "the run took another way");
    } catch (RuntimeException | Error e) {
      throw new AssertionError(
          kind + ", call " + nth + " (" + call + ") " + breakage + ", while it was to " + program,
          e);
    }
  }
}
