package org.vramkit.ptx.report;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The origin of an instruction: its line in the PTX text and, if the compiler recorded it ({@code
 * -lineinfo}), its line in the source.
 *
 * @param ptx name of the PTX text
 * @param ptxLine line in the PTX text, from 1
 * @param source path of the source file; null if unknown
 * @param sourceLine line in the source, from 1; 0 if unknown
 */
public record CodeLine(String ptx, int ptxLine, @Nullable String source, int sourceLine) {
  /** The folder of a toolkit, such as {@code cuda-13.0} or {@code CUDA\v13.0}, and its headers. */
  private static final Pattern TOOLKIT =
      Pattern.compile("(?i)[/\\\\]cuda(-[\\d.]+)?[/\\\\](.*[/\\\\])?include[/\\\\].*");

  /** Returns whether a source is a header of CUDA; a call of it says more than its lines. */
  public static boolean isOfCuda(@Nullable String path) {
    return path != null && TOOLKIT.matcher(path).find();
  }

  /** Returns the line of a caller's source, with this line of the PTX text. */
  public CodeLine calledAt(CodeLine caller) {
    return new CodeLine(ptx, ptxLine, caller.source, caller.sourceLine);
  }

  /** Returns text such as {@code sum.cu:12 (sum.ptx:88)}. */
  @Override
  public String toString() {
    String inPtx = ptx + ":" + ptxLine;
    return source == null
        ? inPtx
        : source.substring(source.lastIndexOf('/') + 1) + ":" + sourceLine + " (" + inPtx + ")";
  }
}
