package org.vramkit.tools.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/**
 * A self-contained HTML page. Scripts and styles that {@code page.html} refers to are inlined. All
 * data from input files is base64 of compressed columns in one element, so it cannot inject markup;
 * the scripts insert it as text.
 *
 * @param title the title after the project's name
 * @param tables tables at the top of the page
 * @param fronts charts of tuning results
 * @param recordings recordings, shown one after the other
 */
public record HtmlPage(
    String title, List<PageTable> tables, List<ParetoChart> fronts, List<Recording> recordings) {
  private static final String SLOT = "id=\"data\">";
  private static final Pattern INCLUDE =
      Pattern.compile(
          "<link rel=\"stylesheet\" href=\"([^\"]+)\">|<script src=\"([^\"]+)\"></script>");
  private static final int BUFFER = 1 << 16;

  /** Copies the lists. */
  public HtmlPage {
    tables = List.copyOf(tables);
    fronts = List.copyOf(fronts);
    recordings = List.copyOf(recordings);
  }

  /** Writes the page and leaves {@code target} open. */
  public void write(OutputStream target) throws IOException {
    String template = resource("page.html");
    int slot = template.indexOf(SLOT) + SLOT.length();
    target.write(bytes(withIncludes(template.substring(0, slot))));
    writeData(target);
    target.write(bytes(withIncludes(template.substring(slot))));
  }

  /** Writes the content of the data element and leaves {@code target} open. */
  public void writeData(OutputStream target) throws IOException {
    Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
    // Closing the encoder writes its padding; the shield keeps the target open.
    try (OutputStream text = Base64.getEncoder().wrap(new CloseShieldOutputStream(target));
        DeflaterOutputStream packed = new DeflaterOutputStream(text, deflater, BUFFER)) {
      new PageData(packed).write(this);
    } finally {
      deflater.end();
    }
  }

  private static String withIncludes(String html) throws IOException {
    StringBuilder page = new StringBuilder();
    Matcher include = INCLUDE.matcher(html);
    int from = 0;
    while (include.find()) {
      page.append(html, from, include.start());
      if (include.group(1) != null) {
        page.append("<style>\n").append(resource(include.group(1))).append("</style>");
      } else {
        page.append("<script>\n").append(resource(include.group(2))).append("</script>");
      }
      from = include.end();
    }
    return page.append(html, from, html.length()).toString();
  }

  private static String resource(String name) throws IOException {
    try (InputStream bytes = HtmlPage.class.getResourceAsStream(name)) {
      if (bytes == null) {
        throw new IllegalStateException(
            "resource " + name + " is missing beside " + HtmlPage.class + "; build with Maven");
      }
      return new String(bytes.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
