package org.vramkit.tools.owner;

import java.util.Arrays;
import java.util.List;
import org.vramkit.api.owner.ProgramCode;
import org.vramkit.tools.owner.Frame.Language;

/**
 * Finds the owner of a stack: the innermost frame of the program itself, outside of the recorder,
 * the allocator, interpreters, drivers, frameworks and libraries. A stack without such a frame, as
 * that of a thread of a framework, has no owner.
 *
 * <p>In a stack with Python frames, the owner is the innermost frame of the program in Python:
 * native code is there on behalf of a line of Python. Only without one may it be native code with
 * its own sources. A framework that runs from its sources owns what no other frame does.
 */
public final class StackOwners {
  /** Stands for the owner of a stack if no frame is the program's. */
  public static final String NO_OWNER = ProgramCode.NO_OWNER;

  private final List<Frame> frames;
  private final Provenance[] provenance;

  /**
   * Classifies each frame once.
   *
   * @param texts the frames of a recording by number, as {@code name(file:line)}
   */
  public StackOwners(List<String> texts) {
    frames = texts.stream().map(Frame::parse).toList();
    PythonCode python = new PythonCode(frames);
    NativeCode natives =
        new NativeCode(frames.stream().anyMatch(each -> each.language() == Language.PYTHON));
    provenance =
        frames.stream()
            .map(
                frame ->
                    switch (frame.language()) {
                      case PYTHON -> python.of(frame);
                      case JVM -> JvmCode.of(frame);
                      case NATIVE -> natives.of(frame);
                      case NONE -> Provenance.PROGRAM;
                    })
            .toArray(Provenance[]::new);
  }

  /** Returns the number that stands for {@link #NO_OWNER} in stacks: that after the last frame. */
  public int getNoOwner() {
    return provenance.length;
  }

  /**
   * Returns the frames from the outermost to the owner, without frames of runtimes, and in a Python
   * program without native code around Python. Without an owner the last frame is {@link
   * #getNoOwner}, below the stack's frames in Python. The result is empty only if the stack is.
   *
   * @param stack numbers of frames, the outermost first
   */
  public int[] upToOwner(int[] stack) {
    if (stack.length == 0) {
      return stack;
    }
    boolean isPython = Arrays.stream(stack).anyMatch(this::isPython);
    int owner = owner(stack, isPython);
    int[] shown = new int[stack.length + 1];
    int count = 0;
    for (int i = 0; i < (owner < 0 && isPython ? stack.length : owner); i++) {
      if (isPython ? isPython(stack[i]) : provenance[stack[i]] != Provenance.RUNTIME) {
        shown[count++] = stack[i];
      }
    }
    shown[count++] = owner < 0 ? getNoOwner() : stack[owner];
    return Arrays.copyOf(shown, count);
  }

  private boolean isPython(int frame) {
    return frames.get(frame).language() == Language.PYTHON;
  }

  /** Returns the index of the owner; -1 if there is none. */
  private int owner(int[] stack, boolean isPython) {
    int best = -1;
    int bestRank = 0;
    int callee = -1;
    for (int i = stack.length - 1; i >= 0; i--) {
      int rank = isPython && !isPython(stack[i]) ? nativeRank(stack[i]) : rank(stack[i], callee);
      if (rank > bestRank) {
        best = i;
        bestRank = rank;
      }
      callee = isPython && !isPython(stack[i]) ? callee : stack[i];
    }
    return best;
  }

  private int rank(int frame, int callee) {
    boolean isLauncher =
        callee >= 0 && PythonCode.isLauncher(frames.get(frame), frames.get(callee));
    return switch (provenance[frame]) {
      case RUNTIME, LIBRARY -> 0;
      case CHECKOUT -> 1;
      case PROGRAM -> isLauncher ? 0 : 3;
    };
  }

  /** Returns the rank of a native frame around Python. */
  private int nativeRank(int frame) {
    return provenance[frame] == Provenance.PROGRAM ? 2 : 0;
  }
}
