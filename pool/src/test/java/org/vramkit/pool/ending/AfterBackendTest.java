package org.vramkit.pool.ending;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.pool.AllocatorKind;

@DisplayName("17.11 An allocator or a pool that outlives its backend")
class AfterBackendTest {

  @ParameterizedTest
  @EnumSource
  @DisplayName("ends without a word, with what was held, in flight and cached by then")
  void ends(Kind kind) {
    new EndingProgram(kind::create, Breakage.REFUSED, 0).runPastBackend();
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("ends so, too, if it is an allocator that pools are tested over")
  void allocatorEnds(AllocatorKind kind) {
    new EndingProgram(device -> new AllocatorSubject(kind.create(device)), Breakage.REFUSED, 0)
        .runPastBackend();
  }
}
