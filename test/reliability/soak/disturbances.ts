/** How long after the end of a fault a request may still be refused because of the fault. */
const RECOVERY_MS = 5_000;

/** A period with its name. Times are from `performance.now()`. */
interface Disturbance {
  readonly name: string;
  readonly from: number;
  until: number;
}

/** Periods in which a fault, a scheduled function or high load explains refusals or slow answers. */
export class Disturbances {
  readonly #all: Disturbance[] = [];

  /** Notes that a disturbance starts. Returns a function that notes its end. */
  begin(name: string): () => void {
    const disturbance = { name, from: performance.now(), until: Number.POSITIVE_INFINITY };
    this.#all.push(disturbance);
    return () => {
      disturbance.until = performance.now();
    };
  }

  /** Returns the name of a disturbance during this period or shortly before it. Returns `undefined` if there was none. */
  during(from: number, to: number): string | undefined {
    return this.#all.find((one) => one.from <= to && from <= one.until + RECOVERY_MS)?.name;
  }
}
