#!/usr/bin/env bash
# JavaCPP 1.5.13: on the module path its natives are modules that nothing requires, so they are not found.
#
# A reader puts javacpp.jar and javacpp-linux-x86_64.jar on the module path and requires org.bytedeco.javacpp. The jar of
# natives is a module too, which no module requires, so the JVM leaves it out and the first allocation
# fails. It has to be named with --add-modules at each start, and to jlink; the same holds for the CUDA presets. From the
# class path nothing is needed.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
use_jdk
fetch org.bytedeco:javacpp:1.5.13 org.bytedeco:javacpp:1.5.13:linux-x86_64

mkdir -p src/probe
echo 'module probe { requires org.bytedeco.javacpp; }' >src/module-info.java
cat >src/probe/Probe.java <<'END'
package probe;

import org.bytedeco.javacpp.BytePointer;

class Probe {
  public static void main(String[] arguments) {
    try (BytePointer memory = new BytePointer(16L)) {
      System.out.println(arguments[0] + ": allocates " + memory.capacity());
    } catch (RuntimeException | LinkageError failure) {
      System.out.println(arguments[0] + ": fails");
    }
  }
}
END
"$javac" -p lib -d classes src/module-info.java src/probe/Probe.java

probe() {
  "$java" -p classes:lib -m probe/probe.Probe "module path"
  "$java" -p classes:lib --add-modules org.bytedeco.javacpp.linux.x86_64 -m probe/probe.Probe "with --add-modules"
  "$java" -cp 'classes:lib/*' probe.Probe "class path"
}

guess='module path: allocates 16
with --add-modules: allocates 16
class path: allocates 16'
known='module path: fails
with --add-modules: allocates 16
class path: allocates 16'
observe "javacpp 1.5.13, $(jdk_version)" probe
