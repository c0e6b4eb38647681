/** Random numbers from a seed. */
export interface Random {
  /** Returns a number from 0 up to, but not including, 1. */
  next(): number;
  /** Returns a whole number from 0 up to, but not including, `end`. */
  below(end: number): number;
  /** Returns one of the items. Throws a `RangeError` if there are no items. */
  pick<Item>(items: readonly Item[]): Item;
}

/** Makes a generator with the algorithm mulberry32, which is in the public domain. */
export function makeRandom(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    next,
    below,
    pick(items) {
      const at = below(items.length);
      for (const item of items.slice(at, at + 1)) return item;
      throw new RangeError('nothing to pick from');
    },
  };
}
