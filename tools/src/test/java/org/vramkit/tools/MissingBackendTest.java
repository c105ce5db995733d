package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.discovery.BackendDescription;

@DisplayName("42.27 The command devices on a JDK that could use the backend ffm")
class MissingBackendTest {
  private static final BackendDescription SIM =
      new BackendDescription("sim", -1000, true, "simulated");

  @Test
  @DisplayName("explains that the build's JDK is too old, with the remedy")
  void explained() {
    List<BackendDescription> listed = DevicesCommand.withMissing(List.of(SIM), 25);
    assertEquals(SIM, listed.get(0));
    BackendDescription ffm = listed.get(1);
    assertEquals("ffm", ffm.name());
    assertTrue(
        ffm.reason()
            .contains(
                "a JDK before 22 made this build; run ./mvnw clean and build again with this JDK 25"),
        ffm.reason());
  }

  @Test
  @DisplayName("adds nothing if ffm is listed or the JDK cannot use it")
  void silent() {
    List<BackendDescription> old = List.of(SIM);
    assertSame(old, DevicesCommand.withMissing(old, 21));
    List<BackendDescription> listed = new ArrayList<>(old);
    listed.add(new BackendDescription("ffm", 300, false, "no driver"));
    assertSame(listed, DevicesCommand.withMissing(listed, 25));
  }
}
