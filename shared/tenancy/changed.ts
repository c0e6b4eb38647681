export interface Changed<Thing> {
  readonly before: Thing;
  readonly after: Thing;
}

/** Swaps before and after, to ask whether the reverse of a change widens access. */
export function reversed<Thing>({ before, after }: Changed<Thing>): Changed<Thing> {
  return { before: after, after: before };
}
