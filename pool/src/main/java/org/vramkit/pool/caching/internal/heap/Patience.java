package org.vramkit.pool.caching.internal.heap;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How often the driver is asked whether streams have come far enough, before memory is taken that
 * their work is about to leave.
 *
 * <p>A question costs some 1.5 us, a page that is taken some 24 us and as much again when it goes
 * back: so a page that was saved pays for as many questions as are asked for its sake. Questions
 * use up what was saved. Where streams never drain nothing is saved, and soon there is but one
 * question before memory is taken: enough to notice when that changes.
 *
 * <p>Threads that ask at once may each ask as if alone.
 */
public final class Patience {
  /** However much memory is to be taken, no more than take two milliseconds of one stream. */
  private static final int MOST_AT_ONCE = 1536;

  /** Pages that may be waited for in vain before any was saved, and what can be saved up. */
  private static final int PAGES = 64;

  /** So many streams are asked at the price of one: a page costs more than all of them. */
  private static final int STREAMS = 8;

  /** What taking a page costs, about: with that a question that is in vain costs no more. */
  public static final int QUESTIONS_FOR_PAGE = 16;

  private final int questionsForPage;
  private final AtomicInteger left;

  /**
   * At first in the hope that it pays.
   *
   * @param questionsForPage asked at most for each page that would be taken; 0 never asks
   */
  Patience(int questionsForPage) {
    this.questionsForPage = questionsForPage;
    this.left = new AtomicInteger(PAGES * questionsForPage);
  }

  /**
   * How often to ask.
   *
   * @param pages that would be taken
   */
  int questionsFor(int pages) {
    long most = Math.min((long) questionsForPage * pages, MOST_AT_ONCE);
    return (int) Math.min(most, Math.max(1, left.get()));
  }

  /** Whether waiting has been in vain for so long that streams may well never drain. */
  boolean isSpent() {
    return left.get() == 0;
  }

  /**
   * Streams were asked, each once.
   *
   * @return how many questions that was
   */
  public int asked(int streams) {
    int asked = Math.max(1, streams / STREAMS);
    left.updateAndGet(questions -> Math.max(0, questions - asked));
    return asked;
  }

  /** So many pages need not be taken any more. */
  public void saved(int pages) {
    long earned = (long) questionsForPage * Math.max(0, pages);
    long most = (long) PAGES * questionsForPage;
    left.updateAndGet(questions -> (int) Math.min(most, questions + earned));
  }
}
