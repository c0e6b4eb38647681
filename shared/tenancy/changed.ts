/** A thing before and after a change. */
export interface Changed<Thing> {
  readonly before: Thing;
  readonly after: Thing;
}

/** The change back: where it would widen, the change itself narrows. */
export function reversed<Thing>({ before, after }: Changed<Thing>): Changed<Thing> {
  return { before: after, after: before };
}
