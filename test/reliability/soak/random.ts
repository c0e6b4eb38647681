/** Numbers that a seed decides. */
export interface Random {
  /** From 0 to before 1. */
  next(): number;
  /** A whole number from 0 to before `end`. */
  below(end: number): number;
  /** One of the items. Throws a `RangeError` where there are none. */
  pick<Item>(items: readonly Item[]): Item;
}

/** The generator mulberry32, which is in the public domain. */
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
