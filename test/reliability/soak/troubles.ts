/** How long after a fault a request may still be refused because of it. */
const RECOVERY_MS = 5_000;

interface Trouble {
  readonly name: string;
  readonly from: number;
  until: number;
}

/** When something that explains a refusal or a slow answer went on. Times are those of `performance.now()`. */
export class Troubles {
  readonly #all: Trouble[] = [];

  /** Notes the beginning of a trouble. Returns what notes its end. */
  begin(name: string): () => void {
    const trouble = { name, from: performance.now(), until: Number.POSITIVE_INFINITY };
    this.#all.push(trouble);
    return () => {
      trouble.until = performance.now();
    };
  }

  /** The name of a trouble that a time from one moment to another was in, or shortly after; `undefined` in quiet times. */
  during(from: number, to: number): string | undefined {
    return this.#all.find((one) => one.from <= to && from <= one.until + RECOVERY_MS)?.name;
  }
}
