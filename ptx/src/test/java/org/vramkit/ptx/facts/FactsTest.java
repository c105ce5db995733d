package org.vramkit.ptx.facts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.ptx.Launch;
import org.vramkit.ptx.LaunchResult;
import org.vramkit.ptx.PtxModule;
import org.vramkit.ptx.memory.MemoryPiece;
import org.vramkit.ptx.report.Dim3;

@DisplayName("Instructions answer as an H200 does")
class FactsTest {
  private static final long IN = 0x200_0000_0000L;
  private static final long OUT = 0x201_0000_0000L;

  @Test
  @DisplayName("on the edge inputs of all facts about single lanes")
  void lanes() {
    List<String> wrong = new ArrayList<>();
    int right = 0;
    int near = 0;
    int skipped = 0;
    for (Map.Entry<String, List<Fact>> each : Fact.all().entrySet()) {
      List<Fact> facts = each.getValue();
      FactKernel kernel = FactKernel.of(facts.get(0));
      if (kernel == null) {
        skipped += facts.size();
        continue;
      }
      List<List<String>> answers;
      try {
        answers = run(kernel, facts);
      } catch (RuntimeException e) {
        wrong.add(each.getKey() + ": " + e + "\n");
        continue;
      }
      for (int i = 0; i < facts.size(); i++) {
        if (answers.get(i).equals(facts.get(i).outputs())) {
          right++;
        } else if (Tolerance.allows(each.getKey(), facts.get(i).outputs(), answers.get(i))) {
          near++;
        } else {
          wrong.add(
              each.getKey()
                  + " "
                  + facts.get(i).inputs()
                  + " -> "
                  + facts.get(i).outputs()
                  + " not "
                  + answers.get(i));
        }
      }
    }
    String counts = right + " right, " + near + " near, " + skipped + " not of single lanes";
    assertEquals("", String.join("\n", wrong), counts);
    assertTrue(right > 18_000 && near < 250 && skipped < 1_500, counts);
  }

  static List<List<String>> run(FactKernel kernel, List<Fact> facts) {
    int n = facts.size();
    ByteBuffer in = ByteBuffer.allocate(8 * kernel.inputs() * n).order(ByteOrder.LITTLE_ENDIAN);
    for (Fact fact : facts) {
      fact.inputs().forEach(each -> in.putLong(Long.parseUnsignedLong(each, 16)));
    }
    byte[] out = new byte[8 * kernel.outputs() * n];
    ByteBuffer parameters = ByteBuffer.allocate(20).order(ByteOrder.LITTLE_ENDIAN);
    parameters.putLong(IN).putLong(OUT).putInt(n);
    LaunchResult result =
        PtxModule.parse("fact.ptx", kernel.text(facts.get(0)))
            .load(variable -> 0)
            .launch(
                Launch.of("k", new Dim3((n + 255) / 256, 1, 1), new Dim3(256, 1, 1))
                    .parameters(parameters.array()),
                at ->
                    at >= OUT
                        ? new MemoryPiece(out, 0, OUT, out.length)
                        : new MemoryPiece(in.array(), 0, IN, in.capacity()));
    assertEquals(List.of(), result.findings(), facts.get(0).instruction());
    ByteBuffer answers = ByteBuffer.wrap(out).order(ByteOrder.LITTLE_ENDIAN);
    List<List<String>> texts = new ArrayList<>();
    for (Fact fact : facts) {
      List<String> each = new ArrayList<>();
      for (String expected : fact.outputs()) {
        String digits = "0".repeat(16) + Long.toHexString(answers.getLong());
        each.add(digits.substring(digits.length() - expected.length()));
      }
      texts.add(each);
    }
    return texts;
  }
}
