/** How long after a fault a request may still be refused because of it. */
const RECOVERY_MS = 5_000;

interface Trouble {
  readonly name: string;
  readonly from: number;
  until: number;
}

/** Periods with something that explains refusals or slow answers. Times are from `performance.now()`. */
export class Troubles {
  readonly #all: Trouble[] = [];

  /** Notes the start of a trouble. Returns a function that notes its end. */
  begin(name: string): () => void {
    const trouble = { name, from: performance.now(), until: Number.POSITIVE_INFINITY };
    this.#all.push(trouble);
    return () => {
      trouble.until = performance.now();
    };
  }

  /** The name of a trouble during or shortly before this period, or `undefined` in quiet times. */
  during(from: number, to: number): string | undefined {
    return this.#all.find((one) => one.from <= to && from <= one.until + RECOVERY_MS)?.name;
  }
}
