export interface Changed<Thing> {
  readonly before: Thing;
  readonly after: Thing;
}

/** Returns the reverse of a change, for example to ask whether the reverse widens access. */
export function reversed<Thing>({ before, after }: Changed<Thing>): Changed<Thing> {
  return { before: after, after: before };
}
