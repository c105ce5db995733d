package org.vramkit.ptx.syntax;

/** State spaces of variables and memory instructions. */
public enum Space {
  GLOBAL("global"),
  CONST("const"),
  SHARED("shared"),
  LOCAL("local"),
  PARAM("param"),
  GENERIC("generic");

  private final String text;

  Space(String text) {
    this.text = text;
  }

  public String getText() {
    return text;
  }
}
