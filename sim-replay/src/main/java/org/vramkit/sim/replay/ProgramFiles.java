package org.vramkit.sim.replay;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.cfg.MutableCoercionConfig;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.schedule.Schedule;

/** Reads and writes stored programs, with errors that name the problem. */
final class ProgramFiles {
  private static final ObjectMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build())
          .enable(
              DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
              DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES,
              DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
          .disable(
              DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
              DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .withCoercionConfig(LogicalType.Textual, ProgramFiles::refuseNumbers)
          .addMixIn(Schedule.class, ScheduleName.class)
          .defaultSetterInfo(JsonSetter.Value.construct(Nulls.FAIL, Nulls.FAIL))
          .build();

  /** Stores a schedule by its name. */
  private interface ScheduleName {
    @JsonValue
    String getName();

    @JsonCreator
    static Schedule of(String name) {
      return Schedule.of(name);
    }
  }

  /** Number of bytes that are checked before the rest of a file is read. */
  private static final int HEAD = 4096;

  private ProgramFiles() {}

  /** Refuses numbers where a text is expected. */
  private static void refuseNumbers(MutableCoercionConfig texts) {
    for (CoercionInputShape shape :
        List.of(CoercionInputShape.Integer, CoercionInputShape.Float, CoercionInputShape.Boolean)) {
      texts.setCoercion(shape, CoercionAction.Fail);
    }
  }

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
      byte[] text = textOf(file);
      return read(text, requireKnown(text));
    } catch (JsonProcessingException e) {
      throw new InvalidArgumentException(
          file
              + " holds no program: "
              + ProgramProblem.ofText(e)
              + "; store one with Program.store");
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

  /**
   * Returns the content of a file. Checks its start first, because some files, such as devices,
   * have no end.
   */
  private static byte[] textOf(Path file) throws IOException {
    try (InputStream bytes = Files.newInputStream(file)) {
      byte[] head = bytes.readNBytes(HEAD);
      if (head.length == HEAD) {
        requireBeginning(head);
      }
      return new SequenceInputStream(new ByteArrayInputStream(head), bytes).readAllBytes();
    }
  }

  private static void requireBeginning(byte[] head) throws IOException {
    requirePlain(head);
    try (JsonParser json = JSON.createParser(head)) {
      JsonToken first = json.nextToken();
      if (first != null) {
        requireObject(first, json);
      }
    }
  }

  private static void requirePlain(byte[] text) {
    if (isGzip(text)) {
      throw new InvalidArgumentException("is compressed; a program is JSON: unpack it with gunzip");
    }
  }

  private static void requireObject(@Nullable JsonToken first, JsonParser json) throws IOException {
    if (first != JsonToken.START_OBJECT) {
      throw new InvalidArgumentException(
          "a program is a JSON object; found "
              + (first == null ? "an empty file" : "'" + json.getText() + "'"));
    }
  }

  private static boolean isGzip(byte[] text) {
    return text.length > 1 && text[0] == 0x1f && text[1] == (byte) 0x8b;
  }

  /** Returns the parsed content; refuses files that hold no program, or another version. */
  private static JsonNode requireKnown(byte[] text) throws IOException {
    requirePlain(text);
    try (JsonParser json = JSON.createParser(text)) {
      requireObject(json.nextToken(), json);
      int line = json.currentTokenLocation().getLineNr();
      JsonNode program = JSON.readTree(json);
      if (json.nextToken() != null) {
        throw refusal(
            json.currentTokenLocation().getLineNr(),
            "nothing may follow the program; found '" + json.getText() + "'");
      }
      if (!program.path("format").asText().equals(StoredProgram.FORMAT)) {
        throw refusal(
            line,
            "no program: 'format' is not "
                + StoredProgram.FORMAT
                + "; store one with Program.store");
      }
      JsonNode version = program.path("version");
      if (version.isIntegralNumber() && version.asLong() != StoredProgram.VERSION) {
        throw refusal(
            line,
            "version "
                + version.asText()
                + " is not supported; this release reads version "
                + StoredProgram.VERSION
                + ": record the program again");
      }
      return program;
    }
  }

  private static Program read(byte[] text, JsonNode program) throws IOException {
    try (JsonParser json = JSON.createParser(text)) {
      try {
        return JSON.readValue(json, StoredProgram.class).toProgram();
      } catch (JsonMappingException e) {
        throw new InvalidArgumentException(ProgramProblem.ofField(e, json, program));
      }
    }
  }

  private static InvalidArgumentException refusal(int line, String problem) {
    return new InvalidArgumentException("line " + line + ": " + problem);
  }

  private static void requireNoDirectory(Path file) {
    if (Files.isDirectory(file)) {
      throw new InvalidArgumentException(file + ": is a directory; name a file in it");
    }
  }

  /**
   * Returns the reason of a failure; the message of some exceptions is only the name of the file.
   */
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
}
