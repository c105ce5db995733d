package org.vramkit.sim.program;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.InvalidArgumentException;

/** The fields of one JSON object: values are texts, numbers, truths, lists and further objects. */
final class JsonFields {
  private final String what;
  private final Map<String, Object> values;

  private JsonFields(String what, Map<String, Object> values) {
    this.what = what;
    this.values = values;
  }

  /** Reads the document that the parser is at the start of. */
  static JsonFields read(JsonParser json, String what) throws IOException {
    if (json.nextToken() != JsonToken.START_OBJECT) {
      throw new InvalidArgumentException("a " + what + " is a JSON object; found none");
    }
    return new JsonFields(what, object(json));
  }

  private static Map<String, Object> object(JsonParser json) throws IOException {
    Map<String, Object> fields = new HashMap<>();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      json.nextToken();
      fields.put(name, value(json));
    }
    return fields;
  }

  private static Object value(JsonParser json) throws IOException {
    JsonToken token = json.currentToken();
    if (token == JsonToken.START_OBJECT) {
      return object(json);
    }
    if (token == JsonToken.START_ARRAY) {
      List<Object> items = new ArrayList<>();
      while (json.nextToken() != JsonToken.END_ARRAY) {
        items.add(value(json));
      }
      return items;
    }
    if (token == JsonToken.VALUE_NUMBER_INT) {
      return json.getLongValue();
    }
    if (token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE) {
      return json.getBooleanValue();
    }
    return json.getText();
  }

  private <T> T want(Class<T> type, @Nullable Object value, String name, String expected) {
    if (!type.isInstance(value)) {
      throw new InvalidArgumentException(
          "'" + name + "' of a " + what + " must be " + expected + ", not " + value);
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
      throw new InvalidArgumentException(
          "'" + name + "' of a " + what + " must fit in 32 bits, not " + value);
    }
    return (int) value;
  }

  boolean truth(String name) {
    return want(Boolean.class, values.get(name), name, "true or false");
  }

  JsonFields object(String name) {
    return nested(name, values.get(name));
  }

  private JsonFields nested(String name, @Nullable Object value) {
    Map<?, ?> fields = want(Map.class, value, name, "an object");
    Map<String, Object> copy = new HashMap<>();
    fields.forEach((key, field) -> copy.put(String.valueOf(key), field));
    return new JsonFields(name, copy);
  }

  List<JsonFields> objects(String name) {
    List<JsonFields> found = new ArrayList<>();
    list(name).forEach(item -> found.add(nested(name, item)));
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
        throw new InvalidArgumentException(
            "'" + name + "' of a " + what + " must hold triples, not " + three);
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
}
