/** How long after a fault requests may still be refused. */
const RECOVERY_MS = 5_000;

interface Trouble {
  readonly name: string;
  readonly from: number;
  until: number;
}

/** Records periods in which something explains refusals or slow answers. Times are those of `performance.now()`. */
export class Troubles {
  readonly #all: Trouble[] = [];

  /** Records the beginning. Call the returned function at the end. */
  begin(name: string): () => void {
    const trouble = { name, from: performance.now(), until: Number.POSITIVE_INFINITY };
    this.#all.push(trouble);
    return () => {
      trouble.until = performance.now();
    };
  }

  /** Returns the name of a trouble during or shortly before this period, or `undefined` in quiet times. */
  during(from: number, to: number): string | undefined {
    return this.#all.find((one) => one.from <= to && from <= one.until + RECOVERY_MS)?.name;
  }
}
