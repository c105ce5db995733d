package org.vramkit.agent;

import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;

/** The options of NVRTC, which are not all those of nvcc. */
final class CompilerOptions {
  private static final Pattern KNOWN =
      Pattern.compile(
          "-[DUI].*|--?std=.*|--?(gpu-architecture|arch|device-c|dc|device-w|dw|relocatable-device-code|rdc"
              + "|extensible-whole-program|ewp|device-debug|G|generate-line-info|lineinfo|dopt"
              + "|ptxas-options|Xptxas|maxrregcount|ftz|prec-sqrt|prec-div|fmad|use_fast_math"
              + "|extra-device-vectorization|modify-stack-limit|dlink-time-opt|dlto|define-macro"
              + "|undefine-macro|include-path|pre-include|include|no-source-include|restrict"
              + "|builtin-move-forward|builtin-initializer-list|disable-warnings|w"
              + "|device-as-default-execution-space|default-device|device-int128|time"
              + "|optimization-info|display-error-number|diag-error|diag-suppress|diag-warn"
              + "|brief-diagnostics|split-compile|minimal|no-cache|err-no|no-display-error-number"
              + "|gen-opt-lto|(?<=--)jump-table-density|device-stack-protector"
              + "|frandom-seed|Ofc)(=.*)?");

  /** Options whose value may be the next string. */
  private static final Pattern WITH_VALUE =
      Pattern.compile("--?(gpu-architecture|arch|D|U|I|include|maxrregcount|ptxas-options|Xptxas)");

  /** Options that nvcc does not have and that change no PTX that it makes. */
  private static final Pattern OF_NVRTC =
      Pattern.compile(
          "--?(device-as-default-execution-space|default-device|minimal|no-source-include"
              + "|builtin-move-forward|builtin-initializer-list|device-int128|no-cache"
              + "|brief-diagnostics|dlink-time-opt|dlto|modify-stack-limit|err-no"
              + "|no-display-error-number|gen-opt-lto|jump-table-density"
              + "|device-stack-protector|frandom-seed|Ofc)(=.*)?");

  private static final Pattern ARCHITECTURE =
      Pattern.compile("(compute|sm)_(75|8[06789]|90|10[03]|110|12[01])[af]?");

  /** Values of NVRTC's form that its compiler does not know: features of architectures. */
  private static final Pattern WITHOUT_FEATURES = Pattern.compile("\\w+_(75|8.)[af]|\\w+_90f");

  private static final Pattern STANDARD = Pattern.compile("c\\+\\+(03|11|14|17|20)");

  /** The form of an option's values, with its long name and the one that a message shows too. */
  private record Form(String name, String shown, Pattern value, String wanted) {
    Form(String name, Pattern value, String wanted) {
      this(name, name, value, wanted);
    }
  }

  private static final Pattern TRUTH = Pattern.compile("true|false");
  private static final Pattern NUMBER = Pattern.compile("\\d+");
  private static final Pattern NOTHING = Pattern.compile("-.*");

  private static final List<Form> FORMS =
      List.of(
          new Form("fmad", TRUTH, "expects true or false"),
          new Form("ftz", TRUTH, "expects true or false"),
          new Form("prec-div", TRUTH, "expects true or false"),
          new Form("prec-sqrt", TRUTH, "expects true or false"),
          new Form("relocatable-device-code", "rdc", TRUTH, "expects true or false"),
          new Form("maxrregcount", NUMBER, "expects an integer value"),
          new Form("split-compile", NUMBER, "expects an integer value"),
          new Form("use_fast_math", NOTHING, "does not accept any argument"),
          new Form("extra-device-vectorization", NOTHING, "does not accept any argument"),
          new Form("minimal", NOTHING, "does not accept any argument"),
          new Form("restrict", NOTHING, "does not accept any argument"),
          new Form(
              "device-as-default-execution-space",
              "default-device",
              NOTHING,
              "does not accept any argument"));

  private CompilerOptions() {}

  /** Returns what is wrong with the value of an option; empty if nothing is. */
  private static String problemOf(String option, String value) {
    String name = option.replaceFirst("^--?", "").replaceFirst("=.*", "");
    return FORMS.stream()
        .filter(each -> name.equals(each.name) || name.equals(each.shown))
        .filter(each -> !each.value.matcher(value).matches())
        .map(each -> "nvrtc: error: --%s (-%s) %s\n".formatted(each.name, each.shown, each.wanted))
        .findFirst()
        .orElse("");
  }

  /** Returns what NVRTC's log says about wrong options; empty if all are right. */
  static String problemOf(List<String> options) {
    for (Iterator<String> all = options.iterator(); all.hasNext(); ) {
      String option = all.next();
      if (!KNOWN.matcher(option).matches()) {
        return "nvrtc: error: unrecognized option " + option + " found\n";
      }
      boolean isNext = WITH_VALUE.matcher(option).matches() && all.hasNext();
      String value = isNext ? all.next() : option.substring(option.indexOf('=') + 1);
      String problem = problemOf(option, value);
      if (!problem.isEmpty()) {
        return problem;
      }
      if (option.matches("--?(gpu-architecture|arch)\\b.*")
          && !ARCHITECTURE.matcher(value).matches()) {
        return "nvrtc: error: invalid value for --gpu-architecture (-arch)\n";
      }
      if (option.matches("--?std\\b.*") && !STANDARD.matcher(value).matches()) {
        return "nvrtc: error: invalid value for --std(-std)\n";
      }
    }
    return "";
  }

  /** Returns whether the options ask for the code of a GPU. */
  static boolean areForGpu(List<String> options) {
    return options.stream().anyMatch(each -> each.matches("(.*=)?sm_\\w+"));
  }

  /** Returns whether the options have some for the assembler. */
  static boolean areForAssembler(List<String> options) {
    return options.stream().anyMatch(each -> each.matches("--?(ptxas-options|Xptxas)\\b.*"));
  }

  /** Returns whether the compiler refuses an architecture that NVRTC takes. */
  static boolean haveWrongFeatures(List<String> options) {
    return options.stream()
        .map(each -> each.substring(each.indexOf('=') + 1))
        .anyMatch(each -> WITHOUT_FEATURES.matcher(each).matches());
  }

  static List<String> ofNvcc(List<String> options) {
    return options.stream().filter(each -> !OF_NVRTC.matcher(each).matches()).toList();
  }
}
