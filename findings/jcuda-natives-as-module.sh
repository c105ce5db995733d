#!/usr/bin/env bash
# JCuda 12.6.0: as modules, JCuda does not find its natives, not even with --add-modules.
#
# A reader puts jcuda.jar and the jar of natives on the module path. JCuda looks for the library as a resource of its own
# class, which in a named module is a resource of that module; the jar of natives is another module, also when it is
# named with --add-modules, which helps for JavaCPP. Take the class path, or --patch-module jcuda=NATIVES.jar.
# Runs without a GPU: it asks the CUDA runtime inside the natives for its version.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
use_jdk
fetch org.jcuda:jcuda:12.6.0 org.jcuda:jcuda-natives:12.6.0:linux-x86_64

mkdir -p src/probe
echo 'module probe { requires jcuda; }' >src/module-info.java
cat >src/probe/Probe.java <<'END'
package probe;

import jcuda.runtime.JCuda;

class Probe {
  public static void main(String[] arguments) {
    try {
      System.out.println(arguments[0] + ": status " + JCuda.cudaRuntimeGetVersion(new int[1]));
    } catch (LinkageError failure) {
      System.out.println(arguments[0] + ": fails");
    }
  }
}
END
"$javac" -p lib -d classes src/module-info.java src/probe/Probe.java

# Each start has a folder of its own for temporary files: JCuda takes a library that an earlier one unpacked.
start() {
  local folder
  folder="$(mktemp -d -p "$work")"
  "$java" -Djava.io.tmpdir="$folder" "$@"
}

probe() {
  start -p classes:lib -m probe/probe.Probe "module path"
  start -p classes:lib --add-modules ALL-MODULE-PATH -m probe/probe.Probe "with --add-modules"
  start -p classes:lib --patch-module jcuda=lib/jcuda-natives-12.6.0-linux-x86_64.jar -m probe/probe.Probe "with --patch-module"
  start -cp 'classes:lib/*' probe.Probe "class path"
}

guess='module path: status 0
with --add-modules: status 0
with --patch-module: status 0
class path: status 0'
known='module path: fails
with --add-modules: fails
with --patch-module: status 0
class path: status 0'
observe "jcuda 12.6.0, $(jdk_version)" probe
