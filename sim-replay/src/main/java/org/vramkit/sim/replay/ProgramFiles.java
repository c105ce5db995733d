package org.vramkit.sim.replay;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.hazard.CheckerOptions;

/** Stored programs: opens files, and tells what is wrong with them. */
final class ProgramFiles {
  private static final ObjectMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build())
          .enable(
              DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
              DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
          .disable(
              DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
              DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .build();

  private ProgramFiles() {}

  static void write(Program program, Path file) {
    requireNoDirectory(file);
    try {
      JSON.writer(new DefaultPrettyPrinter()).writeValue(file.toFile(), StoredProgram.of(program));
    } catch (IOException e) {
      throw new InvalidArgumentException(
          "cannot store a program in "
              + file
              + ": "
              + reason(e)
              + "; name a file that can be written");
    }
  }

  static Program read(Path file) {
    requireNoDirectory(file);
    try {
      byte[] text = Files.readAllBytes(file);
      requireKnown(text);
      return read(text);
    } catch (JsonProcessingException e) {
      throw new InvalidArgumentException(
          file + " holds no program: " + words(e) + "; store one with Program.store");
    } catch (InvalidArgumentException e) {
      throw new InvalidArgumentException(file + ": " + e.getMessage());
    } catch (NoSuchFileException e) {
      throw new InvalidArgumentException(file + ": no such file; name one that holds a program");
    } catch (IOException e) {
      throw new InvalidArgumentException(
          "cannot read a program from "
              + file
              + ": "
              + reason(e)
              + "; name a file that can be read");
    }
  }

  private static boolean isGzip(byte[] text) {
    return text.length > 1 && text[0] == 0x1f && text[1] == (byte) 0x8b;
  }

  /** Refuses what is no program, or one of another version. */
  private static void requireKnown(byte[] text) throws IOException {
    if (isGzip(text)) {
      throw new InvalidArgumentException("is compressed; a program is JSON: unpack it with gunzip");
    }
    try (JsonParser json = JSON.createParser(text)) {
      JsonToken first = json.nextToken();
      if (first != JsonToken.START_OBJECT) {
        throw new InvalidArgumentException(
            "a program is a JSON object; found "
                + (first == null ? "an empty file" : "'" + json.getText() + "'"));
      }
      int line = json.currentTokenLocation().getLineNr();
      JsonNode program = JSON.readTree(json);
      if (json.nextToken() != null) {
        throw refusal(json, "nothing may follow the program; found '" + json.getText() + "'");
      }
      if (!program.path("format").asText().equals(StoredProgram.FORMAT)) {
        throw refusal(
            line,
            "no program: 'format' is not "
                + StoredProgram.FORMAT
                + "; store one with Program.store");
      }
      long version = program.path("version").asLong(StoredProgram.VERSION);
      if (version != StoredProgram.VERSION) {
        throw refusal(
            line,
            "version "
                + version
                + " is not the one that is known, "
                + StoredProgram.VERSION
                + "; record the program again");
      }
    }
  }

  private static Program read(byte[] text) throws IOException {
    try (JsonParser json = JSON.createParser(text)) {
      try {
        return JSON.readValue(json, StoredProgram.class).toProgram();
      } catch (InvalidArgumentException e) {
        throw refusal(1, String.valueOf(e.getMessage()));
      } catch (JsonMappingException e) {
        throw refusal(json, problem(e, json));
      }
    }
  }

  private static InvalidArgumentException refusal(JsonParser json, String problem) {
    return refusal(json.currentTokenLocation().getLineNr(), problem);
  }

  private static InvalidArgumentException refusal(int line, String problem) {
    return new InvalidArgumentException("line " + line + ": " + problem);
  }

  /** What is wrong with a field, in our words. */
  private static String problem(JsonMappingException e, JsonParser json) throws IOException {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof InvalidArgumentException) {
        return String.valueOf(cause.getMessage());
      }
    }
    String name =
        e.getPath().stream()
            .map(JsonMappingException.Reference::getFieldName)
            .filter(Objects::nonNull)
            .reduce("", (first, last) -> last);
    if (e instanceof MismatchedInputException mismatch && mismatch.getTargetType() != null) {
      Class<?> type = mismatch.getTargetType();
      return type.isEnum()
          ? String.format(
              "no %s is called '%s'; record the program again",
              type.getSimpleName().toLowerCase(Locale.ROOT), json.getText())
          : String.format("'%s' must be %s, not %s", name, wanted(type), found(json));
    }
    return "'" + name + "': " + e.getOriginalMessage();
  }

  private static String wanted(Class<?> type) {
    if (type == int.class || type == long.class) {
      return "a whole number";
    }
    if (type == boolean.class) {
      return "true or false";
    }
    if (type == String.class) {
      return "a text";
    }
    return Collection.class.isAssignableFrom(type) || type.isArray() ? "a list" : "an object";
  }

  private static String found(JsonParser json) throws IOException {
    JsonToken token = json.currentToken();
    return token == null || token.isStructEnd() ? "missing" : json.getText();
  }

  /** The checker's options by name, in the order of the record. */
  static Map<String, Object> options(CheckerOptions options) {
    return JSON.convertValue(options, new TypeReference<LinkedHashMap<String, Object>>() {});
  }

  /** The defaults, but for the options that are given. */
  static CheckerOptions checker(Map<String, Object> given) {
    Map<String, Object> values = options(CheckerOptions.DEFAULT);
    for (String name : given.keySet()) {
      if (!values.containsKey(name)) {
        throw new InvalidArgumentException(
            "the checker has no option '" + name + "'; it has " + values.keySet());
      }
    }
    values.putAll(given);
    try {
      return JSON.convertValue(values, CheckerOptions.class);
    } catch (IllegalArgumentException e) {
      throw new InvalidArgumentException(
          "the checker refuses its options: "
              + whyRefused(e, values)
              + "; record the program again");
    }
  }

  /** What the options themselves say, else which one has a value of the wrong kind. */
  private static String whyRefused(Throwable failure, Map<String, Object> values) {
    String why = "one has a value of the wrong kind";
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof InvalidArgumentException own) {
        return String.valueOf(own.getMessage());
      }
      if (each instanceof JsonMappingException mapping && !mapping.getPath().isEmpty()) {
        String option = mapping.getPath().get(0).getFieldName();
        why = "'" + option + "' cannot be '" + values.get(option) + "'";
      }
    }
    return why;
  }

  private static void requireNoDirectory(Path file) {
    if (Files.isDirectory(file)) {
      throw new InvalidArgumentException(file + ": is a directory; name a file in it");
    }
  }

  /** The reason alone: the message of some exceptions of files is the name. */
  private static String reason(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "no file can be created there";
    }
    if (e instanceof AccessDeniedException) {
      return "access is denied";
    }
    String reason = e instanceof FileSystemException failure ? failure.getReason() : e.getMessage();
    return reason == null ? e.toString() : reason;
  }

  /** Where it is no JSON and why, without what the parser says of its source, which is the file. */
  private static String words(JsonProcessingException e) {
    JsonLocation place = e.getLocation();
    String reason =
        String.valueOf(e.getOriginalMessage()).replaceAll("\\s*\\([^(]*\\[Source:.*", "");
    return place == null
        ? reason
        : String.format(
            Locale.ROOT, "line %d, column %d: %s", place.getLineNr(), place.getColumnNr(), reason);
  }
}
