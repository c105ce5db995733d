package org.vramkit.ptx.syntax;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A parsed text.
 *
 * @param version major version times 10 plus the minor one
 * @param target number of the target, such as 75 for sm_75
 * @param debug whether it was compiled for a debugger
 * @param variables variables of the module by name, in the order of the text
 * @param functions kernels and functions by name, in the order of the text; definitions if there
 *     are any, else declarations
 * @param aliases names of functions by their alias
 * @param warnings messages about what is ignored
 */
public record SyntaxTree(
    int version,
    int target,
    boolean debug,
    Map<String, Variable> variables,
    Map<String, Function> functions,
    Map<String, String> aliases,
    List<String> warnings) {
  SyntaxTree(int version, int target, boolean debug, List<String> warnings) {
    this(
        version,
        target,
        debug,
        new LinkedHashMap<>(),
        new LinkedHashMap<>(),
        new LinkedHashMap<>(),
        warnings);
  }

  /** Returns the position of a function among all; -1 if there is none of that name. */
  public int indexOf(String function) {
    return new ArrayList<>(functions.keySet()).indexOf(function);
  }
}
