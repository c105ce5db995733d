package org.vramkit.tools.documents;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A public type that programs can use, as its source declares it.
 *
 * @param name simple name
 * @param module folder of the module
 * @param sentence first sentence of its Javadoc, in Markdown
 * @param file its source
 */
record PublicType(String name, String module, String sentence, Path file) {
  /** Modules that no program depends on. */
  private static final Set<String> NO_LIBRARIES = Set.of("bench", "examples", "tools");

  private static final Pattern EXPORT = Pattern.compile("exports ([\\w.]+);");
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+)");
  private static final Pattern TYPE =
      Pattern.compile(
          "(?ms)(?:^/\\*\\*((?:(?!\\*/).)*)\\*/\\s*)?(?:^/\\*(?!\\*)(?:(?!\\*/).)*\\*/\\s*)?(?:^@[^\\n]*\\n(?:^ [^\\n]*\\n)*(?:^}\\)\\n)?)*"
              + "^public (?:abstract |final |sealed |non-sealed |data |open )*"
              + "(?:class|interface|enum class|enum|record|@interface|annotation class|object)"
              + " (\\w+)");
  private static final Pattern CODE = Pattern.compile("\\{@code ([^}]*)}");
  private static final Pattern LINK = Pattern.compile("\\{@link(?:plain)? (\\S+?)(?: ([^}]*))?}");
  private static final Pattern SENTENCE = Pattern.compile("(.*?\\.)(?: |$).*");

  /** Finds all of them, by module and name. A module without a descriptor exports all packages. */
  static List<PublicType> all() throws IOException {
    Map<String, Set<String>> exports = new HashMap<>();
    for (Path file : Project.files(name -> name.endsWith("/module-info.java"))) {
      exports.put(
          moduleOf(file),
          EXPORT
              .matcher(Project.read(file))
              .results()
              .map(each -> each.group(1))
              .collect(Collectors.toSet()));
    }
    List<PublicType> types = new ArrayList<>();
    for (Path file :
        Project.files(name -> name.matches("[^/]+/src/main/(java|kotlin)/.*\\.(java|kt)"))) {
      String module = moduleOf(file);
      String text = Project.read(file);
      Matcher named = PACKAGE.matcher(text);
      if (!NO_LIBRARIES.contains(module) && named.find()) {
        Set<String> exported = exports.getOrDefault(module, Set.of(named.group(1)));
        if (exported.contains(named.group(1))) {
          add(file, text, module, types);
        }
      }
    }
    types.sort(Comparator.comparing(PublicType::module).thenComparing(PublicType::name));
    return types;
  }

  private static String moduleOf(Path file) {
    String name = Project.nameOf(file);
    return name.substring(0, name.indexOf('/'));
  }

  private static void add(Path file, String text, String module, List<PublicType> types) {
    Matcher type = TYPE.matcher(text);
    while (type.find()) {
      String javadoc = type.group(1) == null ? "" : type.group(1);
      types.add(new PublicType(type.group(2), module, sentenceOf(javadoc), file));
    }
  }

  private static String sentenceOf(String javadoc) {
    String text =
        javadoc
            .replaceAll("\\s*\\n\\s*\\*?", " ")
            .replaceAll("\\s+", " ")
            .replaceFirst("(?: @\\w+ |<p>|<pre>|<ul>).*", "")
            .strip();
    text =
        CODE.matcher(text).replaceAll(code -> Matcher.quoteReplacement("`" + code.group(1) + "`"));
    text =
        LINK.matcher(text)
            .replaceAll(
                link ->
                    Matcher.quoteReplacement(
                        link.group(2) == null
                            ? link.group(1).replaceFirst("^.*\\.(?=[A-Z])", "").replace('#', '.')
                            : link.group(2)));
    Matcher first = SENTENCE.matcher(text);
    return (first.matches() ? first.group(1) : text).replace("|", "\\|");
  }
}
