/** Thrown if saving a form would undo what somebody else has changed since the form was opened. */
export class ChangedMeanwhile extends Error {
  override readonly name = 'ChangedMeanwhile';
}

/**
 * Throws {@link ChangedMeanwhile} if a field of `change` differs between `before`, the item when the form was opened, and
 * `now`.
 */
export function refuseOverwriting(change: object, before: object, now: object): void {
  const [fields, current] = [new Map(Object.entries(before)), new Map(Object.entries(now))];
  const isChanged = (field: string): boolean =>
    JSON.stringify(fields.get(field)) !== JSON.stringify(current.get(field));
  if (Object.keys(change).some(isChanged)) throw new ChangedMeanwhile('the item was changed meanwhile');
}
