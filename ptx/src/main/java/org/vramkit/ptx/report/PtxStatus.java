package org.vramkit.ptx.report;

/** Kinds of errors of PTX, with the result code of the CUDA driver for the same text. */
public enum PtxStatus {
  /** A launch with a wrong number of threads, or an argument that CUDA refuses. */
  INVALID_VALUE(1),
  /** The image is neither PTX nor another format that the driver knows. */
  INVALID_IMAGE(200),
  /** The text has an error: of syntax, names, types, or the target lacks the instruction. */
  INVALID_PTX(218),
  /** The version of the text is newer than the driver's. */
  UNSUPPORTED_PTX_VERSION(222),
  /** The text synchronizes with child kernels, which devices from sm_90 on cannot do. */
  UNSUPPORTED_DEVSIDE_SYNC(225),
  /** The module has no kernel or variable of that name. */
  NOT_FOUND(500),
  /** A GPU runs this, but the simulation does not. */
  NOT_SIMULATED(801);

  private final int code;

  PtxStatus(int code) {
    this.code = code;
  }

  /** Returns the {@code CUresult} of the driver; NOT_SIMULATED is its NOT_SUPPORTED. */
  public int getCode() {
    return code;
  }
}
