package org.vramkit.sim.program;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.vramkit.api.error.InvalidArgumentException;

/** Stored programs: opens files, and tells what is wrong with them. */
final class ProgramFiles {
  private static final JsonFactory JSON = new JsonFactory();

  private ProgramFiles() {}

  static void write(Program program, Path file) {
    try (JsonGenerator json =
        JSON.createGenerator(Files.newOutputStream(file), JsonEncoding.UTF8)) {
      json.setPrettyPrinter(new DefaultPrettyPrinter());
      new ProgramWriter(json).write(program);
    } catch (IOException e) {
      throw new InvalidArgumentException(
          "cannot store a program in " + file + ": " + e + "; name a file that can be written");
    }
  }

  static Program read(Path file) {
    try (JsonParser json = JSON.createParser(Files.newInputStream(file))) {
      return new ProgramReader(json).read();
    } catch (JsonProcessingException e) {
      throw new InvalidArgumentException(
          file + " holds no program: " + e.getMessage() + "; store one with Program.store");
    } catch (InvalidArgumentException e) {
      throw new InvalidArgumentException(file + ": " + e.getMessage());
    } catch (IOException e) {
      throw new InvalidArgumentException(
          "cannot read a program from " + file + ": " + e + "; name a file that can be read");
    }
  }
}
