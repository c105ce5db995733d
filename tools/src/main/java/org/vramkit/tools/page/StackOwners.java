package org.vramkit.tools.page;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.vramkit.pool.support.CallerStack;

/**
 * Finds the owner of a stack: the innermost frame of the program itself, outside of the recorder,
 * the allocator, interpreters and libraries.
 *
 * <p>Recorders and interpreters are recognised by the rules of PyTorch's viewer and some more
 * names, libraries by where Python and the JVM install them.
 */
final class StackOwners {
  private static final Pattern FRAME = Pattern.compile("(?s)(.*)\\(([^()]*)\\)");

  // Frames of recorders, interpreters and runtimes, hidden everywhere.
  private static final Pattern MACHINE_NAMES =
      Pattern.compile(
          "_start|__libc_start_.*|start_thread|__?clone3?|main_trampoline"
              + "|.*(?:unwind::unwind|CapturedTraceback::gather|gather_with_cpp).*"
              + "|_?Py(?:Eval|Object|Function|Vectorcall|Run|Import|Cell|Method|CFunction)_?.*"
              + "|Py_(?:RunMain|BytesMain|Main)|pymain_.*|pyrun_.*|run_mod|run_eval_code_obj"
              + "|cfunction_.*|method_vectorcall.*|object_vacall|slot_(?:tp|nb|sq|mp)_.*|type_call"
              + "|builtin_exec|(?:jdk\\.internal|java\\.lang\\.(?:invoke|reflect))\\..*");
  private static final Pattern MACHINE_FILES =
      Pattern.compile(
          ".*(?:core/boxing|/Register|/Redispatch|pycore_ceval\\.h|cpython/abstract\\.h).*"
              + "|(?:.*/)?(?:(?:Python|Objects|Modules)/\\w+|pythonrun|ceval)\\.c(?::\\d+)?");

  // Libraries that allocate on behalf of the program: never the owner.
  private static final Pattern LIBRARY_NAMES =
      Pattern.compile(
          "(?:c10|at|torch|caffe2|rmm|xla|tsl|tensorflow|stream_executor|pybind11|nanobind|std|jax)::.*"
              + "|THP\\w+_.*|.*\\b(?:BFCAllocator|PjRtClient)::.*"
              + "|(?:java|javax|jdk|sun|com\\.sun|kotlin|kotlinx|scala|org\\.bytedeco|jcuda)\\..*"
              + "|org\\.vramkit\\.(?:"
              + String.join("|", CallerStack.LIBRARY)
              + ")\\..*");
  private static final Pattern LIBRARY_FILES =
      Pattern.compile(
          ".*(?:site-packages|dist-packages|/lib/python\\d\\.\\d+|/pytorch/torch)/.*|<frozen .*");
  private static final Pattern PYTHON_FILES = Pattern.compile("(?:.*\\.pyx?|<.*>)(?::\\d+)?");
  private static final Pattern UNKNOWN_FILES = Pattern.compile("(?:\\?\\?)?(?::\\d+)?");

  /** The kind of code a frame belongs to. */
  private enum Kind {
    /** A recorder, an interpreter or the runtime. */
    MACHINE,
    LIBRARY,
    PYTHON,
    /** Native code of an unknown file; in a Python program it counts as a library. */
    UNKNOWN_NATIVE,
    OTHER
  }

  private final Kind[] kinds;

  /**
   * Classifies each frame once.
   *
   * @param frames texts by number, as {@code name(file:line)}
   */
  StackOwners(List<String> frames) {
    kinds = frames.stream().map(StackOwners::kindOf).toArray(Kind[]::new);
  }

  private static Kind kindOf(String frame) {
    Matcher parts = FRAME.matcher(frame);
    if (!parts.matches()) {
      return Kind.OTHER;
    }
    String name = parts.group(1);
    String file = parts.group(2);
    if (MACHINE_NAMES.matcher(name).matches() || MACHINE_FILES.matcher(file).matches()) {
      return Kind.MACHINE;
    }
    if (LIBRARY_NAMES.matcher(name).matches() || LIBRARY_FILES.matcher(file).matches()) {
      return Kind.LIBRARY;
    }
    if (PYTHON_FILES.matcher(file).matches()) {
      return Kind.PYTHON;
    }
    return UNKNOWN_FILES.matcher(file).matches() ? Kind.UNKNOWN_NATIVE : Kind.OTHER;
  }

  /**
   * Returns the frames from the outermost to the owner, without frames of recorders, interpreters
   * and runtimes, and in a Python program without native code of unknown files. The last frame is
   * always kept. The result is empty only if the stack is.
   *
   * @param stack numbers of frames, the outermost first
   */
  int[] upToOwner(int[] stack) {
    boolean isPython = Arrays.stream(stack).anyMatch(frame -> kinds[frame] == Kind.PYTHON);
    int owner = owner(stack, isPython);
    int[] shown = new int[owner + 1];
    int count = 0;
    for (int i = 0; i <= owner; i++) {
      if (i == owner || isShown(kinds[stack[i]], isPython)) {
        shown[count++] = stack[i];
      }
    }
    return Arrays.copyOf(shown, count);
  }

  /**
   * Returns the index of the owner; if there is none, of the innermost library frame; if there is
   * none either, of the innermost frame.
   */
  private int owner(int[] stack, boolean isPython) {
    int library = -1;
    for (int i = stack.length - 1; i >= 0; i--) {
      Kind kind = kinds[stack[i]];
      if (isShown(kind, isPython) && kind != Kind.LIBRARY) {
        return i;
      }
      if (kind == Kind.LIBRARY && library < 0) {
        library = i;
      }
    }
    return library >= 0 ? library : stack.length - 1;
  }

  private static boolean isShown(Kind kind, boolean isPython) {
    return kind != Kind.MACHINE && !(isPython && kind == Kind.UNKNOWN_NATIVE);
  }
}
