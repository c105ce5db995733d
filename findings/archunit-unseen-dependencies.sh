#!/usr/bin/env bash
# ArchUnit 1.5.0: a class that only casts to a type, or makes an array of it, does not depend on it.
#
# A reader forbids a package its GPU binding: "no class of core depends on org.jcuda". ArchUnit reports
# instanceof, but neither casts nor new arrays nor the patterns of a switch, which javac compiles to operands of an
# invokedynamic. Code that takes a binding's handles apart that way passes the rule. TNG/ArchUnit#710 asks for casts.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
use_jdk_25
fetch com.tngtech.archunit:archunit:1.5.0 org.slf4j:slf4j-nop:2.0.17

mkdir -p src/binding src/core
echo 'package binding; public class Handle {}' >src/binding/Handle.java
cat >src/core/Casts.java <<'END'
package core;

class Casts {
  static Object cast(Object value) {
    return (binding.Handle) value;
  }
}
END
cat >src/core/MakesArray.java <<'END'
package core;

class MakesArray {
  static Object[] make() {
    return new binding.Handle[4];
  }
}
END
cat >src/core/Switches.java <<'END'
package core;

class Switches {
  static boolean isHandle(Object value) {
    return switch (value) {
      case binding.Handle _ -> true;
      default -> false;
    };
  }
}
END
cat >src/core/AsksInstance.java <<'END'
package core;

class AsksInstance {
  static boolean isHandle(Object value) {
    return value instanceof binding.Handle;
  }
}
END
cat >Probe.java <<'END'
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;

class Probe {
  public static void main(String[] arguments) {
    for (JavaClass each : new ClassFileImporter().importPath(Path.of("classes"))) {
      if (each.getPackageName().equals("core")) {
        boolean seen =
            each.getDirectDependenciesFromSelf().stream()
                .anyMatch(dependency -> dependency.getTargetClass().getBaseComponentType().getName().equals("binding.Handle"));
        System.out.println(each.getSimpleName() + ": depends on the binding: " + seen);
      }
    }
  }
}
END
"$javac" -d classes src/binding/*.java src/core/*.java

probe() {
  "$java" -cp 'lib/*' Probe.java | sort
}

guess='AsksInstance: depends on the binding: true
Casts: depends on the binding: true
MakesArray: depends on the binding: true
Switches: depends on the binding: true'
known='AsksInstance: depends on the binding: true
Casts: depends on the binding: false
MakesArray: depends on the binding: false
Switches: depends on the binding: false'
observe "ArchUnit 1.5.0, $(jdk_version)" probe
