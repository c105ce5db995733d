package org.vramkit.sim.program;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import org.vramkit.api.error.InvalidArgumentException;

/** Stored programs: opens files, and tells what is wrong with them. */
final class ProgramFiles {
  private static final JsonFactory JSON =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private ProgramFiles() {}

  static void write(Program program, Path file) {
    requireNoDirectory(file);
    try (JsonGenerator json =
        JSON.createGenerator(Files.newOutputStream(file), JsonEncoding.UTF8)) {
      json.setPrettyPrinter(new DefaultPrettyPrinter());
      new ProgramWriter(json).write(program);
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
    try (JsonParser json = JSON.createParser(Files.newInputStream(file))) {
      return new ProgramReader(json).read();
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
