/** Returns whether two lists hold the same items in any order. Lists with different duplicates are not the same. */
export const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((item) => other.includes(item)) && other.every((item) => one.includes(item));
