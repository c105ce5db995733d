package org.vramkit.ptx.syntax;

import java.util.Locale;

/** State spaces of variables and memory instructions. */
public enum Space {
  GLOBAL,
  CONST,
  SHARED,
  LOCAL,
  PARAM,
  GENERIC;

  /** Returns the name as PTX and reports write it. */
  public String getText() {
    return name().toLowerCase(Locale.ROOT);
  }
}
