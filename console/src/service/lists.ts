/** Returns whether two lists hold the same items in any order. The lists must not contain duplicates. */
export const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((item) => other.includes(item));
