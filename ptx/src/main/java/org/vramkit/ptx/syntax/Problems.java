package org.vramkit.ptx.syntax;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.ptx.report.PtxException;
import org.vramkit.ptx.report.PtxStatus;

/** Collects the errors of a text and words them as the driver's compiler does. */
public final class Problems {
  private static final String INPUT = "ptxas application ptx input, line ";
  private static final String ABORTED = "ptxas fatal   : Ptx assembly aborted due to errors";

  /** At most this many errors are collected. */
  private static final int MOST = 100;

  private final String file;
  private final List<String> log = new ArrayList<>();
  private int firstLine;
  private String first = "";

  public Problems(String file) {
    this.file = file;
  }

  public String getFile() {
    return file;
  }

  /** Notes an error; the text is refused when it has been read. */
  public void add(int line, String message) {
    if (log.isEmpty()) {
      firstLine = line;
      first = message;
    }
    if (log.size() < MOST) {
      log.add(line == 0 ? "ptxas fatal   : " + message : INPUT + line + "; error   : " + message);
    }
  }

  /** Throws if there are errors. */
  public void check() {
    if (!log.isEmpty()) {
      log.add(ABORTED);
      throw refused(PtxStatus.INVALID_PTX, firstLine, first, String.join("\n", log));
    }
  }

  /** Returns the error that ends reading at once. */
  public PtxException fatal(int line, String message) {
    return fatal(PtxStatus.INVALID_PTX, line, message, true);
  }

  PtxException fatal(PtxStatus status, int line, String message, boolean aborted) {
    String text = line == 0 ? "ptxas fatal   : " : INPUT + line + "; fatal   : ";
    return refused(status, line, message, text + message + (aborted ? "\n" + ABORTED : ""));
  }

  PtxException syntaxError(int line, String near) {
    return fatal(line, "Parsing error near '" + near + "': syntax error");
  }

  PtxException notPtx() {
    return refused(
        PtxStatus.INVALID_IMAGE,
        1,
        "does not begin with .version: it is not PTX",
        "error   : Binary format for key='0', ident='' is not recognized");
  }

  private PtxException refused(PtxStatus status, int line, String message, String text) {
    String where = line == 0 ? file : file + ":" + line;
    return new PtxException(status, line, where + ": " + message, text);
  }
}
