package org.vramkit.ptx.facts;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/** An observation on an H200: an instruction, its inputs and outputs, in hexadecimal digits. */
record Fact(String instruction, List<String> inputs, List<String> outputs) {
  /** Returns all facts by instruction, in the order of the file. */
  static Map<String, List<Fact>> all() {
    Map<String, List<Fact>> facts = new LinkedHashMap<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Fact.class.getResourceAsStream("h200.txt.gz")),
                StandardCharsets.US_ASCII))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.startsWith("#")) {
          // A name may have a bar of its own, between two destinations.
          int outputs = line.lastIndexOf(" | ");
          int inputs = line.lastIndexOf(" | ", outputs - 1);
          String name = line.substring(0, inputs);
          facts
              .computeIfAbsent(name, key -> new ArrayList<>())
              .add(
                  new Fact(
                      name,
                      List.of(line.substring(inputs + 3, outputs).trim().split(" +")),
                      List.of(line.substring(outputs + 3).trim().split(" +"))));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return facts;
  }
}
