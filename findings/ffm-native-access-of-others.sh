#!/usr/bin/env bash
# JDK 25: --enable-native-access for one module no longer denies the others.
#
# A reader of the docs of JDK 22 and 23 expects a list: if the option names modules, all others are refused. From JDK 24
# on a module that is not named only causes a warning, as if the option were missing; --illegal-native-access=deny refuses.
# A test that shows which jars of a program call native code, such as the bindings of a GPU, passes for all of them.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
use_jdk_25

cat >Probe.java <<'END'
import java.lang.foreign.MemorySegment;

class Probe {
  public static void main(String[] arguments) {
    try {
      MemorySegment.NULL.reinterpret(0);
      System.out.println(arguments[0] + ": allowed");
    } catch (IllegalCallerException refused) {
      System.out.println(arguments[0] + ": denied");
    }
  }
}
END
"$javac" Probe.java

probe() {
  "$java" --enable-native-access=java.logging -cp . Probe "another module named"
  "$java" --enable-native-access=java.logging --illegal-native-access=deny -cp . Probe "and --illegal-native-access=deny"
}

guess='another module named: denied
and --illegal-native-access=deny: denied'
known='another module named: allowed
and --illegal-native-access=deny: denied'
observe "$(jdk_version)" probe
