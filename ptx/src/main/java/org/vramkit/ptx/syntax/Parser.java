package org.vramkit.ptx.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.report.PtxStatus;

/** Reads a module: its header, variables, kernels and functions. */
public final class Parser {
  /** The newest version that CUDA 13.0 reads. */
  private static final int NEWEST = 90;

  private static final Set<Integer> VERSIONS =
      Set.of(
          10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 30, 31, 32, 40, 41, 42, 43, 50, 60, 61, 62, 63,
          64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90);

  /** The target of the simulated device. */
  private static final int DEVICE = 90;

  private static final Set<String> LINKAGE = Set.of(".extern", ".visible", ".weak", ".common");

  private final Tokens tokens;
  private final Problems problems;
  private final SyntaxTree tree;
  private final Declarations declarations;
  private final SourceLines sourceLines;

  private Parser(Tokens tokens, SyntaxTree tree, SourceLines sourceLines) {
    this.tokens = tokens;
    this.problems = tokens.problems;
    this.tree = tree;
    this.sourceLines = sourceLines;
    this.declarations = new Declarations(tokens);
  }

  /** Parses a text; errors that do not end reading are in the problems. */
  public static SyntaxTree parse(String text, Problems problems) {
    if (!startsWithVersion(text)) {
      throw problems.notPtx();
    }
    Tokens tokens = new Tokens(text, problems);
    List<String> warnings = new ArrayList<>();
    int version = version(tokens);
    int target = target(tokens, version);
    SyntaxTree tree = new SyntaxTree(version, target, tokens.wasSkipped("debug"), warnings);
    SourceLines sourceLines = new SourceLines(problems.getFile());
    tokens.files(sourceLines);
    Parser parser = new Parser(tokens, tree, sourceLines);
    while (!tokens.isAtEnd()) {
      parser.directive();
    }
    return tree;
  }

  /** Skips blanks and comments as the driver does when it looks at an image. */
  private static boolean startsWithVersion(String text) {
    int at = 0;
    while (at < text.length()) {
      if (Character.isWhitespace(text.charAt(at))) {
        at++;
      } else if (text.startsWith("//", at) || text.startsWith("#", at)) {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end;
      } else if (text.startsWith("/*", at)) {
        int end = text.indexOf("*/", at);
        at = end < 0 ? text.length() : end + 2;
      } else {
        return text.startsWith(".version", at);
      }
    }
    return false;
  }

  private static int version(Tokens tokens) {
    tokens.expect(".version");
    int line = tokens.line();
    String text = tokens.next();
    if (!text.matches("\\d+\\.\\d+")) {
      throw tokens.problems.fatal(
          line, "Missing .version directive at start of file 'application ptx input'");
    }
    int dot = text.indexOf('.');
    int major = text.length() > 6 ? 99 : Integer.parseInt(text.substring(0, dot));
    int minor = text.length() > 6 ? 9 : Integer.parseInt(text.substring(dot + 1));
    int version = minor > 9 ? NEWEST + 1 : major * 10 + minor;
    if (version > NEWEST || !VERSIONS.contains(version)) {
      String message = "Unsupported .version " + text + "; current version is '9.0'";
      throw tokens.problems.fatal(PtxStatus.UNSUPPORTED_PTX_VERSION, line, message, false);
    }
    return version;
  }

  private static int target(Tokens tokens, int version) {
    if (!tokens.skip(".target")) {
      int line = tokens.line();
      throw tokens.problems.fatal(
          line, "Missing .target directive at start of file 'application ptx input'");
    }
    int target = 0;
    do {
      int line = tokens.line();
      String name = tokens.next();
      if (name.matches("sm_\\d{2,3}[af]?")) {
        target = Integer.parseInt(name.replaceAll("[^0-9]", ""));
        int first = versionOf(target);
        if (first == 0) {
          throw tokens.problems.fatal(line, "Unsupported .target '" + name + "'");
        }
        boolean special = !Character.isDigit(name.charAt(name.length() - 1));
        int needed = special && target == 90 ? 80 : first;
        if (needed > version) {
          tokens.problems.add(
              line,
              "PTX .version %d.%d does not support .target %s"
                  .formatted(version / 10, version % 10, name));
        } else if (target > DEVICE) {
          throw tokens.problems.fatal(
              0, "SM version specified by .target is higher than default SM version assumed");
        }
      } else if (!Set.of("texmode_unified", "texmode_independent", "debug", "map_f64_to_f32")
          .contains(name)) {
        throw tokens.problems.fatal(line, "Unsupported .target '" + name + "'");
      }
    } while (tokens.skip(","));
    tokens.problems.check();
    return target;
  }

  /** Returns the version that introduced a target; 0 if there is none. */
  private static int versionOf(int target) {
    return switch (target) {
      case 10, 11 -> 10;
      case 12, 13 -> 12;
      case 20, 21 -> 20;
      case 30 -> 30;
      case 35 -> 31;
      case 32, 50 -> 40;
      case 37, 52 -> 41;
      case 53 -> 42;
      case 60, 61, 62 -> 50;
      case 70 -> 60;
      case 72 -> 61;
      case 75 -> 63;
      case 80 -> 70;
      case 86 -> 71;
      case 87 -> 74;
      case 89, 90 -> 78;
      case 100, 101 -> 86;
      case 120 -> 87;
      case 103, 121 -> 88;
      case 88, 110 -> 90;
      default -> 0;
    };
  }

  private void directive() {
    int line = tokens.line();
    String word = tokens.peek();
    switch (word) {
      case ".address_size" -> {
        tokens.next();
        int size = tokens.integer();
        if (size != 64) {
          throw problems.fatal(line, "32-Bit ABI (-m32) is not supported for this target");
        }
      }
      case ".file" -> {
        tokens.next();
        tokens.integer();
        tokens.next();
        while (tokens.skip(",")) {
          tokens.integer();
        }
      }
      case ".section" -> section();
      case ".pragma" -> pragma(tree.warnings());
      case ".alias" -> {
        tokens.next();
        String alias = tokens.name();
        tokens.expect(",");
        tree.aliases().put(alias, tokens.name());
        tokens.expect(";");
      }
      case ".tex" -> {
        tokens.next();
        declarations.variables(Space.GLOBAL, false, v -> {});
      }
      default -> linked(word, line);
    }
  }

  private void linked(String word, int line) {
    boolean external = false;
    while (LINKAGE.contains(tokens.peek())) {
      String linkage = tokens.next();
      external |= linkage.equals(".extern");
    }
    String kind = tokens.next();
    switch (kind) {
      case ".entry" -> function(true);
      case ".func" -> function(false);
      case ".global" -> declarations.variables(Space.GLOBAL, external, this::declare);
      case ".const" -> declarations.variables(Space.CONST, external, this::declare);
      case ".shared" -> declarations.variables(Space.SHARED, external, this::declare);
      case ".local" -> declarations.variables(Space.LOCAL, external, this::declare);
      default -> {
        if (word.startsWith("@") && tokens.peek().startsWith("@")) {
          problems.add(
              line, "Deprecated feature: '@@DWARF directive' not supported as of PTX version 2.0");
          problems.check();
        }
        throw problems.syntaxError(line, kind);
      }
    }
  }

  private void declare(Variable variable) {
    Variable earlier = tree.variables().get(variable.name);
    boolean same = earlier != null && earlier.space == variable.space;
    if (earlier != null && !(same && (earlier.external || variable.external))) {
      problems.add(variable.line, "Duplicate definition of variable '" + variable.name + "'");
    }
    if (tree.functions().containsKey(variable.name)) {
      redefined(variable.name, variable.line);
    }
    if (earlier == null || earlier.external) {
      tree.variables().put(variable.name, variable);
    }
  }

  private void redefined(String name, int line) {
    problems.add(line, "Inconsistent redefinition of variable '" + name + "'");
    problems.add(line, "Duplicate definition of function '" + name + "'");
    problems.check();
  }

  private void function(boolean entry) {
    int line = tokens.line();
    List<Variable> results = new ArrayList<>();
    if (!entry && tokens.peek().equals("(")) {
      declarations.parameters(results, entry);
    }
    Function function = new Function(tokens.name(), entry, line);
    function.results.addAll(results);
    if (tokens.peek().equals("(")) {
      declarations.parameters(function.parameters, entry);
    }
    directives(function);
    if (tree.variables().containsKey(function.name)) {
      redefined(function.name, line);
    }
    if (tokens.peek().equals("{")) {
      function.defined = true;
      new BodyParser(tokens, tree, function, declarations, sourceLines).run();
    } else {
      tokens.skip(";");
    }
    add(function);
  }

  private void add(Function function) {
    Function earlier = tree.functions().get(function.name);
    if (earlier != null && earlier.defined && function.defined) {
      problems.add(function.line, "Duplicate definition of function '" + function.name + "'");
    }
    if (earlier != null) {
      compare(earlier, function);
    }
    if (earlier == null || !earlier.defined) {
      tree.functions().put(function.name, function);
    }
  }

  private void compare(Function one, Function other) {
    String what = null;
    if (one.parameters.size() != other.parameters.size()) {
      what = "number of parameters differs";
    } else {
      for (int i = 0; i < one.parameters.size(); i++) {
        if (one.parameters.get(i).bytes != other.parameters.get(i).bytes) {
          what = "parameter types differ";
        }
      }
    }
    if (what != null) {
      problems.add(other.line, "Inconsistent prototypes of '" + other.name + "', " + what);
    }
  }

  private void directives(Function function) {
    while (tokens.peek().startsWith(".")) {
      int line = tokens.line();
      String word = tokens.next();
      switch (word) {
        case ".maxnreg",
            ".maxntid",
            ".reqntid",
            ".minnctapersm",
            ".reqnctapercluster",
            ".maxclusterrank" -> {
          List<Integer> values = new ArrayList<>();
          do {
            values.add(tokens.integer());
          } while (tokens.skip(","));
          function.directives.put(word.substring(1), values);
        }
        case ".maxnctapersm" -> {
          tokens.integer();
          problems.add(
              line,
              "Deprecated feature: '.maxnctapersm directive' not supported as of PTX version 2.1");
        }
        case ".noreturn", ".explicitcluster", ".blocksareclusters" ->
            function.directives.put(word.substring(1), List.of());
        case ".attribute" -> declarations.skipParentheses();
        case ".pragma" -> {
          tokens.next();
          tokens.skip(";");
        }
        case ".abi_preserve", ".abi_preserve_control" -> tokens.integer();
        default -> throw problems.syntaxError(line, word);
      }
    }
  }

  private void pragma(List<String> warnings) {
    tokens.next();
    String text = tokens.next();
    if (!text.startsWith("\"")) {
      throw problems.syntaxError(tokens.line(), text);
    }
    warn(text, warnings);
    tokens.expect(";");
  }

  static void warn(String quoted, List<String> warnings) {
    String text = quoted.replace("\"", "");
    if (!text.matches("(nounroll|used_bytes_mask|enable_smem_spilling|frequency).*")) {
      warnings.add("ptxas warning : Pragma '" + text + "' unsupported");
    }
  }

  /** Reads a section of debugging information; strings with labels name inlined functions. */
  private void section() {
    tokens.next();
    tokens.next();
    tokens.expect("{");
    int depth = 1;
    while (depth > 0) {
      if (tokens.isAtEnd()) {
        throw tokens.syntaxError();
      }
      @Nullable String word = tokens.next();
      depth += word.equals("{") ? 1 : word.equals("}") ? -1 : 0;
    }
  }
}
