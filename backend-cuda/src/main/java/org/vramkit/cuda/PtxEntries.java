package org.vramkit.cuda;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.vramkit.api.device.KernelParameter;
import org.vramkit.api.device.KernelSignature;

/**
 * Reads the signatures of kernels from PTX, because drivers before CUDA 12.4 cannot return the
 * parameters of a kernel, and newer ones return no types and names. Skips what it does not
 * understand; the driver compiles and checks the text.
 */
final class PtxEntries {
  private static final Pattern COMMENT = Pattern.compile("//[^\n]*|/\\*.*?\\*/", Pattern.DOTALL);
  private static final Pattern ENTRY =
      Pattern.compile("\\.entry\\s+([\\w$%.]+)\\s*(?:\\(([^)]*)\\))?");
  private static final Pattern PARAMETER =
      Pattern.compile(
          "\\.param(.*?)\\s\\.?([busf](\\d+)|texref|samplerref|surfref)(.*?)\\s([\\w$%]+)"
              + "\\s*(?:\\[\\s*(\\d+)\\s*])?",
          Pattern.DOTALL);
  private static final Pattern ALIGN = Pattern.compile("\\.align\\s+(\\d+)");

  /** Opaque references to textures, samplers and surfaces are passed as addresses. */
  private static final int REFERENCE_BYTES = 8;

  private PtxEntries() {}

  /** Returns the signatures by kernel; empty if the image is not PTX. */
  static Map<String, KernelSignature> of(byte[] image) {
    Map<String, KernelSignature> found = new TreeMap<>();
    String text = COMMENT.matcher(new String(image, StandardCharsets.ISO_8859_1)).replaceAll(" ");
    if (!text.stripLeading().startsWith(".version")) {
      return found;
    }
    Matcher entry = ENTRY.matcher(text);
    while (entry.find()) {
      List<KernelParameter> parameters = new ArrayList<>();
      if (read(entry.group(2) == null ? "" : entry.group(2), parameters)) {
        found.put(entry.group(1), new KernelSignature(entry.group(1), parameters));
      }
    }
    return found;
  }

  /** Adds the parameters of a list; returns false if one is not understood. */
  private static boolean read(String list, List<KernelParameter> parameters) {
    int end = 0;
    for (String each : list.isBlank() ? new String[0] : list.split(",")) {
      Matcher parameter = PARAMETER.matcher(each.strip());
      if (!parameter.matches()) {
        return false;
      }
      String type = "." + parameter.group(2);
      int width =
          parameter.group(3) == null ? REFERENCE_BYTES : Integer.parseInt(parameter.group(3)) / 8;
      String elements = parameter.group(6);
      int size = elements == null ? width : width * Integer.parseInt(elements);
      // An alignment after .ptr is that of the memory at the address.
      String attributes = parameter.group(1) + parameter.group(4);
      int pointer = attributes.indexOf(".ptr");
      int own = alignment(pointer < 0 ? attributes : attributes.substring(0, pointer), width);
      int ofAddress = pointer < 0 ? 1 : alignment(attributes.substring(pointer), 1);
      int offset = (end + own - 1) & -own;
      parameters.add(
          new KernelParameter(
              elements == null ? type : type + "[" + elements + "]",
              parameter.group(5),
              offset,
              size,
              ofAddress));
      end = offset + size;
    }
    return true;
  }

  private static int alignment(String attributes, int otherwise) {
    Matcher found = ALIGN.matcher(attributes);
    int alignment = found.find() ? Integer.parseInt(found.group(1)) : otherwise;
    return Integer.bitCount(alignment) == 1 ? alignment : otherwise;
  }
}
