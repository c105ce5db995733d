package org.vramkit.sim.program;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * The fields of one JSON object: values are texts, numbers, truths, lists and further objects. What
 * is wrong with them is told with the line at which the object begins.
 */
final class JsonFields {
  private final String what;
  private final int line;
  private final Map<String, Object> values;

  private JsonFields(String what, int line, Map<String, Object> values) {
    this.what = what;
    this.line = line;
    this.values = values;
  }

  /** Reads the document that the parser is at the start of, to its end. */
  static JsonFields read(JsonParser json, String what) throws IOException {
    JsonToken first = json.nextToken();
    if (first != JsonToken.START_OBJECT) {
      throw new InvalidArgumentException(
          "a "
              + what
              + " is a JSON object; found "
              + (first == null ? "an empty file" : "'" + json.getText() + "'"));
    }
    JsonFields document = object(json, what);
    if (json.nextToken() != null) {
      throw new InvalidArgumentException(
          String.format(
              Locale.ROOT,
              "line %d: nothing may follow the %s; found '%s'",
              json.currentTokenLocation().getLineNr(),
              what,
              json.getText()));
    }
    return document;
  }

  private static JsonFields object(JsonParser json, String what) throws IOException {
    int line = json.currentTokenLocation().getLineNr();
    Map<String, Object> fields = new HashMap<>();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      json.nextToken();
      fields.put(name, value(json, name));
    }
    return new JsonFields(what, line, fields);
  }

  private static Object value(JsonParser json, String what) throws IOException {
    JsonToken token = json.currentToken();
    if (token == JsonToken.START_OBJECT) {
      return object(json, what);
    }
    if (token == JsonToken.START_ARRAY) {
      List<Object> items = new ArrayList<>();
      while (json.nextToken() != JsonToken.END_ARRAY) {
        items.add(value(json, what));
      }
      return items;
    }
    if (token == JsonToken.VALUE_NUMBER_INT) {
      return json.getLongValue();
    }
    if (token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE) {
      return json.getBooleanValue();
    }
    if (token == JsonToken.VALUE_STRING) {
      return json.getText();
    }
    // Fits no field: a fraction, or null.
    return new Unfit(json.getText());
  }

  /** A value of no type that a program has. */
  private record Unfit(String text) {
    @Override
    public String toString() {
      return text;
    }
  }

  /** An error of a field, with its place. */
  InvalidArgumentException refusal(String problem) {
    return new InvalidArgumentException("line " + line + ": " + problem);
  }

  /** What is made of the fields; what is wrong with it is told with its place. */
  <T> T checked(Supplier<T> made) {
    try {
      return made.get();
    } catch (InvalidArgumentException e) {
      throw refusal(String.valueOf(e.getMessage()));
    }
  }

  private <T> T want(Class<T> type, @Nullable Object value, String name, String expected) {
    if (!type.isInstance(value)) {
      throw refusal(
          "'"
              + name
              + "' of '"
              + what
              + "' must be "
              + expected
              + ", not "
              + (value == null ? "missing" : value));
    }
    return type.cast(value);
  }

  boolean has(String name) {
    return values.containsKey(name);
  }

  Map<String, Object> values() {
    return Map.copyOf(values);
  }

  String text(String name) {
    return want(String.class, values.get(name), name, "a text");
  }

  long number(String name) {
    return want(Long.class, values.get(name), name, "a whole number");
  }

  int integer(String name) {
    return narrow(name, number(name));
  }

  private int narrow(String name, long value) {
    if (value != (int) value) {
      throw refusal("'" + name + "' of '" + what + "' must fit in 32 bits, not " + value);
    }
    return (int) value;
  }

  boolean truth(String name) {
    return want(Boolean.class, values.get(name), name, "true or false");
  }

  JsonFields object(String name) {
    return want(JsonFields.class, values.get(name), name, "an object");
  }

  List<JsonFields> objects(String name) {
    List<JsonFields> found = new ArrayList<>();
    list(name).forEach(item -> found.add(want(JsonFields.class, item, name, "objects")));
    return found;
  }

  List<String> texts(String name) {
    List<String> found = new ArrayList<>();
    list(name).forEach(item -> found.add(want(String.class, item, name, "texts")));
    return found;
  }

  List<Integer> integers(String name) {
    List<Integer> found = new ArrayList<>();
    list(name)
        .forEach(item -> found.add(narrow(name, want(Long.class, item, name, "whole numbers"))));
    return found;
  }

  /** A list of lists of three numbers each. */
  List<ByteRange> ranges(String name) {
    List<ByteRange> found = new ArrayList<>();
    for (Object item : list(name)) {
      List<?> three = want(List.class, item, name, "lists");
      if (three.size() != 3) {
        throw refusal("'" + name + "' of '" + what + "' must hold triples, not " + three);
      }
      long[] numbers = new long[3];
      for (int i = 0; i < 3; i++) {
        numbers[i] = want(Long.class, three.get(i), name, "whole numbers");
      }
      found.add(new ByteRange(narrow(name, numbers[0]), numbers[1], numbers[2]));
    }
    return found;
  }

  private List<?> list(String name) {
    return want(List.class, values.get(name), name, "a list");
  }

  @Override
  public String toString() {
    return "an object";
  }
}
