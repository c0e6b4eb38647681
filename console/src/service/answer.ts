import { useEffect, useReducer } from 'preact/hooks';
import { EncryptionServiceError } from '../../../client/src/index.ts';
import { currentVisit } from '../address/address.ts';
import { noteRefusal } from '../session/session.ts';

/** When the person returns to the tab, answers younger than this are not loaded again. */
const FRESH_MS = 10_000;
/** The delay before the first retry after an outage. Each further retry waits longer. */
export const RETRY_MS = 4_000;
const LONGEST_RETRY_MS = 60_000;

/** Returns whether an error is probably temporary, so that a retry can help. */
export function isOutage(problem: unknown): boolean {
  if (!(problem instanceof EncryptionServiceError)) return false;
  return ['unreachable', 'answer_lost', 'deadline_exceeded', 'unavailable', 'internal_error'].includes(problem.code);
}

/** A cached answer of the service. The old value stays visible while a new one loads. */
export class Answer<T> {
  value: T | undefined;
  problem: unknown;
  #at = 0;
  /** The number of the visit in which the answer was last requested. In a new visit, it is requested again. */
  #visit = -1;
  #failures = 0;
  #asking = false;
  #askAgain = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #load: () => Promise<T>;
  readonly #listeners = new Set<() => void>();

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  /** Returns whether no component currently shows this answer. */
  get isIdle(): boolean {
    return this.#listeners.size === 0;
  }

  /**
   * Calls `listener` on every change. Requests the answer if the current visit has not requested it yet, or if it failed
   * and nobody has tried again since. Returns a function that unsubscribes.
   */
  listen(listener: () => void): () => void {
    const isAbandoned = this.isIdle && this.problem !== undefined;
    this.#listeners.add(listener);
    if (this.#visit !== currentVisit() || isAbandoned) void this.ask();
    return () => {
      this.#listeners.delete(listener);
      if (this.isIdle) clearTimeout(this.#timer);
    };
  }

  /** Reloads the answer if a component shows it and it is older than {@link FRESH_MS}. */
  reloadIfStale(): void {
    if (!this.isIdle && Date.now() - this.#at > FRESH_MS) void this.ask();
  }

  /** Reloads the answer if a component shows it and it could not be loaded. */
  reloadFailed(): void {
    if (!this.isIdle && this.problem !== undefined) void this.ask();
  }

  /** Loads the answer again. After an outage, retries with growing delays. */
  readonly ask = async (): Promise<void> => {
    if (this.#asking) {
      this.#askAgain = true;
      return;
    }
    this.#asking = true;
    clearTimeout(this.#timer);
    do {
      this.#askAgain = false;
      this.#visit = currentVisit();
      await this.#attempt();
    } while (this.#askAgain);
    this.#asking = false;
    for (const listener of this.#listeners) listener();
  };

  async #attempt(): Promise<void> {
    try {
      this.value = await this.#load();
      this.#at = Date.now();
      this.problem = undefined;
      this.#failures = 0;
    } catch (problem) {
      this.problem = problem;
      this.#failures += 1;
      noteRefusal(problem);
      if (!isOutage(problem)) return;
      const wait = Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** (this.#failures - 1));
      this.#timer = setTimeout(() => void this.ask(), wait);
    }
  }
}

interface Family {
  forget(): void;
  reloadIfStale(): void;
  reloadFailed(): void;
}

const families: Family[] = [];

const reloadIfStale = (): void => {
  if (document.visibilityState === 'visible') for (const family of families) family.reloadIfStale();
};
document.addEventListener('visibilitychange', reloadIfStale);
// If another window is beside the page, such as a terminal, the page stays visible. `visibilitychange` then never
// fires, but `focus` does.
addEventListener('focus', reloadIfStale);
addEventListener('online', () => {
  for (const family of families) family.reloadFailed();
});

/** The cached answers of one operation, one for each set of arguments. */
export class Answers<T, Arguments extends readonly (string | undefined)[]> {
  readonly #known = new Map<string, Answer<T>>();
  readonly #load: (...about: Arguments) => Promise<T>;

  constructor(load: (...about: Arguments) => Promise<T>) {
    this.#load = load;
    families.push(this);
  }

  of(...about: Arguments): Answer<T> {
    const name = JSON.stringify(about);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const made = new Answer(() => this.#load(...about));
    this.#known.set(name, made);
    return made;
  }

  /** Loads the answers that components show again, and drops all other answers. Call it after a change. */
  readonly refresh = (): void => {
    for (const [name, answer] of this.#known) {
      if (answer.isIdle) this.#known.delete(name);
      else void answer.ask();
    }
  };

  forget(): void {
    this.#known.clear();
  }

  reloadIfStale(): void {
    for (const answer of this.#known.values()) answer.reloadIfStale();
  }

  reloadFailed(): void {
    for (const answer of this.#known.values()) answer.reloadFailed();
  }
}

/** Clears all cached answers, because another person or another tenant may use the console next. */
export function forgetAnswers(): void {
  for (const family of families) family.forget();
}

/**
 * Renders the component again when one of the answers changes. A component must always pass the same number of answers.
 */
export function useAnswers(...answers: readonly Answer<unknown>[]): void {
  const [, draw] = useReducer((count: number, _: undefined) => count + 1, 0);
  useEffect(() => {
    const ends = answers.map((answer) => answer.listen(() => draw(undefined)));
    return () => {
      for (const end of ends) end();
    };
  }, answers);
}

/** Renders the component again when the answer changes. */
export function useAnswer<T>(answer: Answer<T>): Answer<T> {
  useAnswers(answer);
  return answer;
}
