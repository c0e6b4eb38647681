/** A thing before and after a change. */
export interface Changed<Thing> {
  readonly before: Thing;
  readonly after: Thing;
}
