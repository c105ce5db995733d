package org.vramkit.sim.replay;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.exc.InvalidDefinitionException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.schedule.Schedule;

/** Describes what is wrong with a stored program. */
final class ProgramProblem {
  private static final String REMEDY = "; record the program again";

  /** The length at which a quoted text is cut. */
  private static final int MOST_TEXT = 80;

  private ProgramProblem() {}

  /** Returns where and why a text is no JSON, without the file name that the parser adds. */
  static String ofText(JsonProcessingException e) {
    JsonLocation place = e.getLocation();
    String reason =
        String.valueOf(e.getOriginalMessage()).replaceAll("\\s*\\([^(]*\\[Source:.*", "");
    return place == null
        ? reason
        : String.format(
            Locale.ROOT, "line %d, column %d: %s", place.getLineNr(), place.getColumnNr(), reason);
  }

  /**
   * Returns the problem of a field: its place, the expected value, and the value found.
   *
   * @param json the parser, where it stopped
   * @param program the content of the file
   */
  static String ofField(JsonMappingException e, JsonParser json, JsonNode program) {
    List<String> ofError = pathOf(e);
    List<String> ofParser = pathOf(json);
    // Either path may end before the field.
    List<String> place = ofError.size() < ofParser.size() ? ofParser : ofError;
    StringBuilder path = new StringBuilder();
    JsonNode node = program;
    for (String part : place) {
      path.append(node.isArray() ? "[" : path.isEmpty() ? "" : ".");
      path.append(part).append(node.isArray() ? "]" : "");
      node = node.isArray() ? node.path(Integer.parseInt(part)) : node.path(part);
    }
    return "line "
        + json.currentTokenLocation().getLineNr()
        + ", "
        + (path.isEmpty() ? "the program" : path)
        + ": "
        + problem(e, node);
  }

  private static List<String> pathOf(JsonMappingException e) {
    return e.getPath().stream()
        .map(each -> each.getFieldName() == null ? "" + each.getIndex() : each.getFieldName())
        .toList();
  }

  private static List<String> pathOf(JsonParser json) {
    List<String> parts = new ArrayList<>();
    for (JsonPointer at = json.getParsingContext().pathAsPointer(); !at.matches(); at = at.tail()) {
      parts.add(at.getMatchingProperty());
    }
    return parts;
  }

  private static String problem(JsonMappingException e, JsonNode node) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof InvalidArgumentException) {
        return String.valueOf(cause.getMessage());
      }
      if (cause instanceof InputCoercionException outOfRange) {
        return must(range(outOfRange.getTargetType()), node);
      }
    }
    Class<?> type = null;
    if (e instanceof MismatchedInputException mismatch) {
      type = mismatch.getTargetType();
    } else if (e instanceof InvalidDefinitionException definition) {
      type = definition.getType().getRawClass();
    }
    if (type != null && type.isEnum() && node.isTextual()) {
      return "no "
          + type.getSimpleName().toLowerCase(Locale.ROOT)
          + " is called "
          + found(node)
          + REMEDY;
    }
    return type == null ? e.getOriginalMessage() + REMEDY : must(wanted(type), node);
  }

  private static String must(String wanted, JsonNode node) {
    return node.isMissingNode()
        ? "is missing; must be " + wanted + REMEDY
        : "must be " + wanted + ", not " + found(node) + REMEDY;
  }

  private static String range(Class<?> type) {
    return type == int.class
        ? "a whole number from " + Integer.MIN_VALUE + " to " + Integer.MAX_VALUE
        : "a whole number from " + Long.MIN_VALUE + " to " + Long.MAX_VALUE;
  }

  private static String wanted(Class<?> type) {
    if (type == int.class || type == Integer.class || type == long.class || type == Long.class) {
      return "a whole number";
    }
    if (type == boolean.class) {
      return "true or false";
    }
    if (type == String.class || type == Schedule.class || type.isEnum()) {
      return "a text";
    }
    return Collection.class.isAssignableFrom(type) || type == ByteRange.class
        ? "a list"
        : "an object";
  }

  private static String found(JsonNode node) {
    if (node.isContainerNode()) {
      return node.isArray() ? "a list" : "an object";
    }
    String text = node.asText();
    String shortened = text.length() <= MOST_TEXT ? text : text.substring(0, MOST_TEXT) + "...";
    return node.isTextual() ? "'" + shortened + "'" : shortened;
  }
}
