package org.vramkit.ptx.facts;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A kernel for the facts of one instruction: thread i runs it on the inputs of fact i, which lie as
 * 64-bit words behind each other, and stores the outputs in the same way.
 */
record FactKernel(String text, int inputs, int outputs) {
  private static final Pattern LISTS =
      Pattern.compile("\\((?:in: ([^;)]*))?(?:; )?(?:out: ([^)]*))?\\)");
  private static final Pattern PLAIN = Pattern.compile("[a-z][\\w.:]*");

  /** Returns the kernel of facts whose lanes do not depend on each other; null for others. */
  static @Nullable FactKernel of(Fact fact) {
    String name = fact.instruction();
    List<Integer> in = widths(fact.inputs());
    List<Integer> out = widths(fact.outputs());
    if (in == null || out == null) {
      return null;
    }
    String body = body(name, in, out);
    return body == null
        ? null
        : new FactKernel(text(body, in.size(), out.size()), in.size(), out.size());
  }

  private static @Nullable List<Integer> widths(List<String> values) {
    if (values.stream().anyMatch(each -> !each.matches("[0-9a-f]+"))) {
      return null;
    }
    return values.stream().map(each -> 4 * each.length()).toList();
  }

  private static @Nullable String body(String name, List<Integer> in, List<Integer> out) {
    if (name.startsWith("atom.") || name.startsWith("red.")) {
      return null;
    }
    if (name.startsWith("mov.pred d,")) {
      return declare(in, out) + "mov.pred %p1, %is_explicit_cluster;\nselp.u32 o0, 1, 0, %p1;\n";
    }
    if (name.startsWith("selp")) {
      return declare(in, out)
          + "setp.ne.u32 %p1, i2, 0;\n"
          + name.replaceAll(" .*", "")
          + " o0, i0, i1, %p1;\n";
    }
    if (name.contains(" d,")
        || name.contains(" p|q")
        || name.contains(";")
        || name.contains(" {")
        || name.contains(" d|p")
        || name.contains(" l,")) {
      return statement(name, in, out);
    }
    boolean truth = name.endsWith(" (0/1)");
    String plain = truth ? name.substring(0, name.length() - 6) : name;
    boolean ofPredicates = plain.endsWith(" (0/1 in, 0/1 out)");
    if (ofPredicates) {
      plain = plain.substring(0, plain.indexOf(' '));
    }
    Matcher lut = Pattern.compile("(lop3.b32) immLut=(0x\\w+)").matcher(plain);
    String last = "";
    if (lut.matches()) {
      plain = lut.group(1);
      last = ", " + lut.group(2);
    }
    if (!PLAIN.matcher(plain).matches()) {
      return null;
    }
    String operands = operands("i", in.size());
    if (ofPredicates) {
      StringBuilder set = new StringBuilder(declare(in, out));
      for (int i = 0; i < in.size(); i++) {
        set.append("setp.ne.u32 %q").append(i).append(", i").append(i).append(", 0;\n");
      }
      return set + plain + " %p1, " + operands("%q", in.size()) + ";\nselp.u32 o0, 1, 0, %p1;\n";
    }
    String target = truth ? "%p1" : "o0";
    String end = truth ? "selp.u32 o0, 1, 0, %p1;\n" : "";
    return declare(in, out) + plain + " " + target + ", " + operands + last + ";\n" + end;
  }

  private static String operands(String letter, int count) {
    return IntStream.range(0, count).mapToObj(i -> letter + i).collect(Collectors.joining(", "));
  }

  private static String declare(List<Integer> in, List<Integer> out) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < in.size(); i++) {
      text.append(".reg .b").append(Math.max(16, in.get(i))).append(" i").append(i).append(";\n");
    }
    for (int i = 0; i < out.size(); i++) {
      text.append(".reg .b").append(Math.max(16, out.get(i))).append(" o").append(i).append(";\n");
    }
    for (int i = 0; i < in.size(); i++) {
      text.append("ld.global.u")
          .append(in.get(i))
          .append(" i")
          .append(i)
          .append(", [%in+")
          .append(8 * i)
          .append("];\n");
    }
    return text.toString();
  }

  /** A text with operands: their names are those of the lists, or letters. */
  private static @Nullable String statement(String name, List<Integer> in, List<Integer> out) {
    String trimmed = name.replaceAll(" \\((grid|p) [^)]*\\)$", "");
    Matcher lists = LISTS.matcher(trimmed);
    String inNames = null;
    String outNames = null;
    int end = trimmed.length();
    if (lists.find()) {
      inNames = lists.group(1);
      outNames = lists.group(2);
      end = lists.start();
    }
    String code = trimmed.substring(0, end).trim();
    boolean carry = code.contains(" with CF=cin");
    code = code.replace(" with CF=cin", "");
    List<String> ins =
        inNames == null ? letters(code, in.size()) : List.of(inNames.trim().split(" "));
    List<String> outs =
        outNames == null ? List.of(firstOperand(code)) : List.of(outNames.trim().split(" "));
    if (ins.size() != in.size() || outs.size() != out.size()) {
      return null;
    }
    StringBuilder text = new StringBuilder(declare(in, out));
    String renamed = " " + code + ";\n";
    if (renamed.contains(",!c") || renamed.contains("!c")) {
      text.append("setp.ne.u32 %p2, i2, 0;\n");
      renamed = renamed.replace("!c", "!%p2");
    }
    boolean predicateC = (name.startsWith("setp.") || name.startsWith("set.")) && in.size() == 3;
    if (predicateC && !renamed.contains("%p2")) {
      text.append("setp.ne.u32 %p2, i2, 0;\n");
      renamed = renamed.replaceAll("\\bc\\b", "%p2");
    }
    if (name.startsWith("setp")) {
      renamed = renamed.replaceAll("\\bp\\|q\\b", "%p1|%q1");
    }
    if (name.startsWith("lop3") && name.contains("d|p")) {
      text.append("setp.ne.u32 %q1, i3, 0;\n");
      renamed = renamed.replaceAll("\\bd\\|p\\b", "d|%p1").replaceAll("\\bq\\b", "%q1");
    }
    for (int i = 0; i < ins.size(); i++) {
      renamed = renamed.replaceAll("(?<![\\w.%])" + ins.get(i) + "(?![\\w.])", "i" + i);
    }
    for (int i = 0; i < outs.size(); i++) {
      renamed = renamed.replaceAll("(?<![\\w.%])" + outs.get(i) + "(?![\\w.])", "o" + i);
    }
    if (carry) {
      text.append("add.cc.u32 %t, i2, 0xffffffff;\n");
    }
    text.append(renamed);
    for (int i = 0; i < outs.size(); i++) {
      String each = outs.get(i);
      if (name.startsWith("setp") || (name.startsWith("lop3") && each.equals("p"))) {
        text.append("selp.u32 o")
            .append(i)
            .append(", 1, 0, ")
            .append(each.equals("p") ? "%p1" : "%q1")
            .append(";\n");
      }
    }
    return text.toString();
  }

  private static String firstOperand(String code) {
    Matcher first = Pattern.compile("^\\S+ (?:\\{_,)?(\\w+)").matcher(code);
    return first.find() ? first.group(1) : "d";
  }

  private static List<String> letters(String code, int count) {
    List<String> names = new ArrayList<>();
    boolean withE = code.contains("{a,b,c,e}");
    for (int i = 0; i < count; i++) {
      names.add(
          withE && i == 3
              ? "e"
              : code.startsWith("mad") && i == 3 ? "d" : i == 3 ? "q" : "" + (char) ('a' + i));
    }
    return names;
  }

  private static String text(String body, int in, int out) {
    StringBuilder text = new StringBuilder();
    text.append(".version 9.0\n.target sm_90\n.address_size 64\n");
    text.append(".visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 n)\n{\n");
    text.append(
        ".reg .pred %p<4>, %q<4>, %done;\n.reg .b32 %r<8>, %t;\n.reg .b64 %in, %out, %o;\n");
    text.append("ld.param.u64 %in, [pin];\nld.param.u64 %out, [pout];\nld.param.u32 %r3, [n];\n");
    text.append("mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r0, %r1, 256, %r0;\n");
    text.append("setp.ge.u32 %done, %r0, %r3;\n@%done bra END;\n");
    text.append("mul.wide.u32 %o, %r0, ").append(8 * in).append(";\nadd.u64 %in, %in, %o;\n");
    text.append("mul.wide.u32 %o, %r0, ").append(8 * out).append(";\nadd.u64 %out, %out, %o;\n");
    text.append(body);
    for (int i = 0; i < out; i++) {
      text.append("st.global.u@")
          .append(i)
          .append(" [%out+")
          .append(8 * i)
          .append("], o")
          .append(i)
          .append(";\n");
    }
    return text.append("END: ret;\n}\n").toString();
  }

  /** Returns the text with the widths of the outputs. */
  String text(Fact fact) {
    String result = text;
    for (int i = 0; i < outputs; i++) {
      result = result.replace("u@" + i, "u" + 4 * fact.outputs().get(i).length());
    }
    return result;
  }
}
