package org.vramkit.tools.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.interactions.WheelInput;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.WebDriverWait;

/**
 * A page in a headless Chromium; without one the test is skipped, and says so. All tests of a JVM
 * share one Chromium, since its start takes longer than most of them.
 */
final class Browser implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofHours(1);
  private static final Duration POLL = Duration.ofMillis(20);

  // It warns that it knows no tools of developers for this version; none are wanted.
  private static final Logger FINDER =
      Logger.getLogger("org.openqa.selenium.devtools.CdpVersionFinder");

  static {
    FINDER.setLevel(Level.OFF);
  }

  private static final Dimension WINDOW = new Dimension(1500, 1300);

  private static @Nullable ChromeDriver shared;

  private final ChromeDriver driver;

  private Browser(ChromeDriver driver) {
    this.driver = driver;
  }

  /** Opens a page and waits until it says that it is ready. */
  static synchronized Browser open(Path page) {
    ChromeDriver driver = shared;
    if (driver == null) {
      driver = start();
      Runtime.getRuntime().addShutdownHook(new Thread(driver::quit));
      shared = driver;
    }
    Browser browser = new Browser(driver);
    driver.manage().window().setSize(WINDOW);
    driver.manage().logs().get(LogType.BROWSER);
    driver.get(page.toUri().toString());
    browser.until("document.body.dataset.ready === 'true'");
    return browser;
  }

  private static ChromeDriver start() {
    Path chromium =
        find(
            "CHROMIUM",
            "/usr/bin/chromium",
            "/usr/bin/chromium-browser",
            "/usr/bin/google-chrome",
            "/opt/google/chrome/chrome");
    Path service =
        find(
            "CHROMEDRIVER",
            "/usr/bin/chromedriver",
            Objects.requireNonNullElse(System.getenv("CHROMEWEBDRIVER"), "") + "/chromedriver",
            "/usr/lib/chromium/chromedriver");
    assumeTrue(
        chromium != null && service != null,
        "no Chromium with its driver: install the packages chromium and chromium-driver, or point"
            + " the environment variables CHROMIUM and CHROMEDRIVER at them");
    ChromeOptions options = new ChromeOptions();
    options.setBinary(String.valueOf(chromium));
    options.addArguments(
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage");
    options.addArguments("--hide-scrollbars", "--disable-extensions", "--no-first-run");
    options.addArguments("--disable-background-networking", "--disable-component-update");
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.WARNING);
    options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
    ChromeDriverService drivers =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(Objects.requireNonNull(service).toFile())
            .build();
    return new ChromeDriver(drivers, options);
  }

  private static @Nullable Path find(String variable, String... places) {
    String named = System.getenv(variable);
    return Stream.concat(Stream.ofNullable(named), Stream.of(places))
        .map(Path::of)
        .filter(Files::isExecutable)
        .findFirst()
        .orElse(null);
  }

  /** Waits for a condition of JavaScript. */
  void until(String condition) {
    new WebDriverWait(driver, PATIENCE, POLL)
        .withMessage(condition)
        .until(any -> Boolean.TRUE.equals(script("return " + condition)));
  }

  @Nullable Object script(String code) {
    return driver.executeScript(code);
  }

  String status() {
    return driver.findElement(By.id("status")).getText();
  }

  List<WebElement> all(String selector) {
    return driver.findElements(By.cssSelector(selector));
  }

  WebElement first(String selector) {
    return driver.findElement(By.cssSelector(selector));
  }

  /** An attribute {@code data-...} of the first element. */
  String data(String selector, String name) {
    return String.valueOf(first(selector).getDomAttribute("data-" + name));
  }

  /** Clicks at a place of an element, given as shares of its width and height. */
  void click(WebElement element, double x, double y) {
    int dx = (int) ((x - 0.5) * element.getSize().width);
    int dy = (int) ((y - 0.5) * element.getSize().height);
    driver.executeScript("arguments[0].scrollIntoView({block: 'center'})", element);
    new Actions(driver, Duration.ZERO).moveToElement(element, dx, dy).click().perform();
  }

  /** Clicks the button with this text. */
  void press(String text) {
    WebElement button =
        all("button").stream()
            .filter(each -> each.getText().equals(text))
            .findFirst()
            .orElseThrow();
    driver.executeScript("arguments[0].scrollIntoView({block: 'center'})", button);
    button.click();
  }

  /** Turns the wheel over the middle of an element; negative zooms in. */
  void wheel(WebElement element, int by) {
    driver.executeScript("arguments[0].scrollIntoView({block: 'center'})", element);
    new Actions(driver, Duration.ZERO)
        .scrollFromOrigin(WheelInput.ScrollOrigin.fromElement(element), 0, by)
        .perform();
  }

  /** Nothing was refused, failed or loaded. */
  void hasNoErrors() {
    assertEquals(List.of(), driver.manage().logs().get(LogType.BROWSER).getAll());
    assertEquals(0L, script("return performance.getEntriesByType('resource').length"));
  }

  /** Stores what the window shows. */
  void picture(Path file, int width, int height) {
    driver.manage().window().setSize(new Dimension(width, height));
    script("window.scrollTo(0, 0)");
    until("document.readyState === 'complete'");
    try {
      Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Leaves the page, so that it takes no more time. */
  @Override
  public void close() {
    driver.get("about:blank");
  }
}
