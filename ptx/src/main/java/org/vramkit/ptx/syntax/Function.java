package org.vramkit.ptx.syntax;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A kernel or a function: its parameters, variables and instructions. */
public final class Function {
  public final String name;
  public final boolean entry;
  public final int line;
  public final List<Variable> results = new ArrayList<>();
  public final List<Variable> parameters = new ArrayList<>();

  /** Variables that are declared in the body, of all spaces. */
  public final List<Variable> variables = new ArrayList<>();

  public final List<Instruction> instructions = new ArrayList<>();

  /** Positions of labels among the instructions. */
  public final Map<String, Integer> labels = new LinkedHashMap<>();

  /** Lists of labels for indirect branches and of functions for indirect calls. */
  public final Map<String, List<String>> targets = new HashMap<>();

  /** Prototypes for indirect calls: functions without name and body. */
  public final Map<String, Function> prototypes = new HashMap<>();

  /** Values of directives such as {@code maxntid}. */
  public final Map<String, List<Integer>> directives = new LinkedHashMap<>();

  /** True if it has a body. */
  public boolean defined;

  Function(String name, boolean entry, int line) {
    this.name = name;
    this.entry = entry;
    this.line = line;
  }

  public @Nullable List<Integer> getDirective(String directive) {
    return directives.get(directive);
  }
}
