export interface Changed<Thing> {
  readonly before: Thing;
  readonly after: Thing;
}

/** Swaps before and after: a change that widens one narrows the other. */
export function reversed<Thing>({ before, after }: Changed<Thing>): Changed<Thing> {
  return { before: after, after: before };
}
