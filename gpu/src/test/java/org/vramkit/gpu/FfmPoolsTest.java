package org.vramkit.gpu;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

@EnabledForJreRange(min = JRE.JAVA_22)
@DisplayName("Pools and scatters on real GPUs through the JDK's foreign functions")
class FfmPoolsTest extends RealPools {
  FfmPoolsTest() {
    super("ffm");
  }
}
