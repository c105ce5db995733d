package org.vramkit.tools.trace;

/** Text from untrusted files, made fit for a message of one line. */
final class Text {
  private Text() {}

  /** Replaces what is not printable and cuts what is too long. */
  static String printable(String text, int limit) {
    StringBuilder shown = new StringBuilder();
    for (int i = 0; i < Math.min(text.length(), limit); i++) {
      char c = text.charAt(i);
      boolean plain = c >= ' ' && c != 0x7f && !Character.isISOControl(c) && c != 0xfffd;
      shown.append(plain ? c : '?');
    }
    return text.length() > limit ? shown + "..." : shown.toString();
  }
}
