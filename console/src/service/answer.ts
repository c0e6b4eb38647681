import { useEffect, useReducer } from 'preact/hooks';
import { EncryptionServiceError } from '../../../client/src/index.ts';
import { currentVisit } from '../address/address.ts';
import { noteRefusal } from '../session/session.ts';

/** What is younger is not asked for again when the person comes back to the tab. */
const FRESH_MS = 10_000;
/** How long after an outage something is tried again for the first time. */
export const RETRY_MS = 4_000;
const LONGEST_RETRY_MS = 60_000;

/** Whether what failed may work by itself in a while. */
export function isOutage(problem: unknown): boolean {
  if (!(problem instanceof EncryptionServiceError)) return false;
  return ['unreachable', 'answer_lost', 'deadline_exceeded', 'unavailable', 'internal_error'].includes(problem.code);
}

/** An answer of the service, kept with its time and shown at once while it is asked for again. */
export class Answer<T> {
  value: T | undefined;
  problem: unknown;
  #at = 0;
  /** The visit that it was last asked in: another one asks again. */
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

  /** Whether nothing is shown that would have to be asked for again. */
  get isIdle(): boolean {
    return this.#listeners.size === 0;
  }

  /** Calls back whenever there is something else to show, and asks, once in a visit to a page. Returns what ends it. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#visit !== currentVisit()) void this.ask();
    return () => {
      this.#listeners.delete(listener);
      if (this.isIdle) clearTimeout(this.#timer);
    };
  }

  /** Asks again for what is shown and is no longer young. */
  freshen(): void {
    if (!this.isIdle && Date.now() - this.#at > FRESH_MS) void this.ask();
  }

  /** Asks again. An outage is tried again by itself, ever less often. */
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
  freshen(): void;
}

const families: Family[] = [];

const freshen = (): void => {
  if (document.visibilityState === 'visible') for (const family of families) family.freshen();
};
document.addEventListener('visibilitychange', freshen);
// Beside another window, such as a terminal, the page is visible all the time.
addEventListener('focus', freshen);

/** The answers of one operation, by what it is asked about. */
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

  /** After a change: asks again for what is shown, forgets the others. */
  readonly refresh = (): void => {
    for (const [name, answer] of this.#known) {
      if (answer.isIdle) this.#known.delete(name);
      else void answer.ask();
    }
  };

  forget(): void {
    this.#known.clear();
  }

  freshen(): void {
    for (const answer of this.#known.values()) answer.freshen();
  }
}

/** Forgets every answer: somebody else may sign in. */
export function forgetAnswers(): void {
  for (const family of families) family.forget();
}

/** Draws the component again whenever one of the answers changes, of which there are always as many. */
export function useAnswers(...answers: readonly Answer<unknown>[]): void {
  const [, draw] = useReducer((count: number, _: undefined) => count + 1, 0);
  useEffect(() => {
    const ends = answers.map((answer) => answer.listen(() => draw(undefined)));
    return () => {
      for (const end of ends) end();
    };
  }, answers);
}

/** Draws the component again whenever the answer changes. */
export function useAnswer<T>(answer: Answer<T>): Answer<T> {
  useAnswers(answer);
  return answer;
}
