package org.vramkit.tools;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jgrapht.Graph;
import org.jgrapht.alg.connectivity.KosarajuStrongConnectivityInspector;
import org.jgrapht.graph.DefaultEdge;
import org.jgrapht.graph.SimpleDirectedGraph;

/** Files of one package that all name each other, directly or by way of others. */
final class Cycles {
  private final Graph<JavaClass, DefaultEdge> uses = new SimpleDirectedGraph<>(DefaultEdge.class);

  Cycles(JavaClasses classes) {
    for (JavaClass type : classes) {
      JavaClass from = outermost(type);
      uses.addVertex(from);
      for (Dependency each : type.getDirectDependenciesFromSelf()) {
        JavaClass to = outermost(each.getTargetClass());
        if (!to.equals(from) && to.getPackageName().equals(from.getPackageName())) {
          uses.addVertex(to);
          uses.addEdge(from, to);
        }
      }
    }
  }

  static JavaClass outermost(JavaClass type) {
    return type.getBaseComponentType()
        .getEnclosingClass()
        .map(Cycles::outermost)
        .orElse(type.getBaseComponentType());
  }

  /**
   * Those with too many files, one line each.
   *
   * @param allowed more for some packages
   */
  List<String> largerThan(int most, Map<String, Integer> allowed) {
    return new KosarajuStrongConnectivityInspector<>(uses)
        .stronglyConnectedSets().stream()
            .filter(cycle -> cycle.size() > allowed.getOrDefault(packageOf(cycle), most))
            .map(cycle -> cycle.size() + " in " + packageOf(cycle) + ": " + namesOf(cycle))
            .toList();
  }

  private static String packageOf(Set<JavaClass> cycle) {
    return cycle.iterator().next().getPackageName();
  }

  private static List<String> namesOf(Set<JavaClass> cycle) {
    return cycle.stream().map(JavaClass::getSimpleName).sorted().toList();
  }
}
