package org.vramkit.tools.owner;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Tells a Python program from what is installed or generated, by the paths of files. The folders of
 * interpreters and of frameworks that run from their sources are learned from the recording: {@code
 * D:/env/Lib/site-packages/torch/functional.py} shows that the standard library is in {@code
 * D:/env/Lib}.
 */
final class PythonCode {
  private static final String INSTALLED =
      "(?:site|dist)-packages/"
          // Standard libraries of all systems; on Windows they have no version in the path.
          + "|(?:^|/)lib(?:64)?/(?:python|pypy)\\d"
          + "|^(?i:[a-z]:/(?:.*/)?[^/]*(?:python|conda)[^/]*/(?:(?:envs|versions)/[^/]+/)?lib/)"
          + "|/Python\\.framework/|python\\d+\\.zip/|\\.(?:egg|whl)/"
          // Caches, editors and launchers.
          + "|/\\.(?:cache|pex|vscode|cursor|pycharm)[^/]*/|^/databricks/|^/pkg/modal/"
          + "|^/usr(?:/local)?/bin/|/Scripts/[^/]*\\.exe/";

  private static final String GENERATED =
      "/torchinductor_|/c[a-z2-7]{51}\\.py$|__autograph_generated_file|/\\.triton/";

  private static final Pattern LIBRARY_FILE = Pattern.compile(INSTALLED + "|" + GENERATED);

  /** The file of code that a user typed; other names in brackets are those of generated code. */
  private static final Pattern TYPED =
      Pattern.compile("<(?:stdin|console|input|ipython-input-|command-|cell).*");

  private static final String SCRIPT = "<string>";
  private static final Pattern SPAWNER =
      Pattern.compile(".*(?:^|/)(?:multiprocessing|joblib|loky)/.*");

  // The folder of an interpreter, from a file below it.
  private static final Pattern PREFIX =
      Pattern.compile(
          "(.*/)lib(?:64)?/(?:python\\d|(?=site-packages/)).*", Pattern.CASE_INSENSITIVE);

  /** Packages that are never the program, known by files that only they have. */
  private static final Pattern FRAMEWORK =
      Pattern.compile(
          "((?:.*/)?(?:"
              + "torch/(?=nn/modules/|nn/functional|autograd/(?:function|graph|_)|optim/optim|utils/_"
              + "|_(?:compile|dynamo|functorch|higher_order_ops|inductor|ops|tensor|subclasses)[/.])"
              + "|triton/(?=runtime/|compiler/|backends/|language/)"
              + "|jax/(?=_src/)|jaxlib/|tensorflow/(?=python/))).*");

  /** Packages that their users often change, and then run from a checkout. */
  private static final Pattern PACKAGE =
      Pattern.compile(
          "((?:.*/)?(?:"
              + "vllm/(?=v1/|engine/|worker/|model_executor/|entrypoints/|executor/)"
              + "|sglang/(?=srt/)|deepspeed/(?=runtime/|inference/)|megatron/(?=core/)"
              + "|transformers/(?=models/|trainer|modeling_utils|generation/)"
              + "|diffusers/(?=models/|pipelines/|schedulers/)|peft/(?=tuners/|peft_model)"
              + "|accelerate/(?=utils/|accelerator)|timm/(?=models/|layers/)"
              + "|(?:pytorch_)?lightning/(?=pytorch/|fabric/|trainer/|strategies/)"
              + "|flax/(?=core/|linen/|nnx/)|xformers/(?=ops/)|flash_attn/(?=flash_attn)"
              + ")).*");

  private final Set<String> installed = new HashSet<>();
  private final Set<String> checkouts = new HashSet<>();

  /**
   * Learns folders.
   *
   * @param frames the frames of a recording; those of other languages are ignored
   */
  PythonCode(List<Frame> frames) {
    for (Frame frame : frames) {
      if (frame.language() != Frame.Language.PYTHON) {
        continue;
      }
      String file = frame.file();
      if (LIBRARY_FILE.matcher(file).find()) {
        prefix(file).forEach(installed::add);
      } else {
        folder(FRAMEWORK, file).forEach(installed::add);
        folder(PACKAGE, file).forEach(checkouts::add);
      }
    }
  }

  private static Stream<String> prefix(String file) {
    Matcher matcher = PREFIX.matcher(file);
    return matcher.matches() && matcher.group(1).length() > 1
        ? Stream.of("bin/", "lib/", "Lib/", "Scripts/").map(matcher.group(1)::concat)
        : Stream.of();
  }

  private static Stream<String> folder(Pattern of, String file) {
    Matcher matcher = of.matcher(file);
    return matcher.matches() ? Stream.of(matcher.group(1)) : Stream.of();
  }

  Provenance of(Frame frame) {
    String file = frame.file();
    if (file.startsWith("<")) {
      boolean isScript = file.equals(SCRIPT) && frame.name().equals("<module>");
      return isScript || TYPED.matcher(file).matches() ? Provenance.PROGRAM : Provenance.LIBRARY;
    }
    if (LIBRARY_FILE.matcher(file).find() || isBelow(installed, file)) {
      return Provenance.LIBRARY;
    }
    return isBelow(checkouts, file) ? Provenance.CHECKOUT : Provenance.PROGRAM;
  }

  /** Returns whether a frame only starts a process whose work its callee does. */
  static boolean isLauncher(Frame frame, Frame callee) {
    return frame.file().equals(SCRIPT) && SPAWNER.matcher(callee.file()).matches();
  }

  private static boolean isBelow(Set<String> folders, String file) {
    for (int end = file.indexOf('/'); end >= 0; end = file.indexOf('/', end + 1)) {
      if (folders.contains(file.substring(0, end + 1))) {
        return true;
      }
    }
    return false;
  }
}
