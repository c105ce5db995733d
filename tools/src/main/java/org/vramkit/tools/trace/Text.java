package org.vramkit.tools.trace;

/** Makes text from untrusted files safe for one-line messages. */
final class Text {
  private Text() {}

  /** Replaces unprintable characters and truncates to {@code limit} characters. */
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
