#!/usr/bin/env bash
# Lincheck 3.7: model checking finds no race in a ByteBuffer, which it finds in a field.
#
# A reader tests a counter in a page-locked or shared buffer as one in a field, and expects the same lost update to be
# found. Lincheck switches threads at accesses that it sees: fields, arrays, VarHandles. The accesses of a ByteBuffer are
# inside the JDK, so an increment by get and put is one step, and the test passes.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
use_jdk
fetch org.jetbrains.lincheck:lincheck:3.7

mkdir -p src/counter
cat >src/counter/OfField.java <<'END'
package counter;

import org.jetbrains.lincheck.datastructures.Operation;

public class OfField {
  private int count;

  @Operation
  public int increment() {
    int next = count + 1;
    count = next;
    return next;
  }
}
END
cat >src/counter/OfBuffer.java <<'END'
package counter;

import java.nio.ByteBuffer;
import org.jetbrains.lincheck.datastructures.Operation;

public class OfBuffer {
  private final ByteBuffer count = ByteBuffer.allocateDirect(4);

  @Operation
  public int increment() {
    int next = count.getInt(0) + 1;
    count.putInt(0, next);
    return next;
  }
}
END
cat >src/counter/Probe.java <<'END'
package counter;

import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

class Probe {
  static void check(Class<?> counter) {
    ModelCheckingOptions options = new ModelCheckingOptions().threads(2).actorsPerThread(2).iterations(10);
    try {
      options.check(counter);
      System.out.println(counter.getSimpleName() + ": no race");
    } catch (LincheckAssertionError found) {
      System.out.println(counter.getSimpleName() + ": race");
    }
  }

  public static void main(String[] arguments) {
    check(OfField.class);
    check(OfBuffer.class);
    Runtime.getRuntime().halt(0);
  }
}
END
"$javac" -cp 'lib/*' -d classes src/counter/*.java

guess='OfField: race
OfBuffer: race'
known='OfField: race
OfBuffer: no race'
observe "Lincheck 3.7, $(jdk_version)" "$java" -XX:+EnableDynamicAgentLoading -cp 'classes:lib/*' counter.Probe
