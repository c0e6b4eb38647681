import type { Field, Operation, Reference } from '../../console/src/pages/reference/reference.ts';

/** A long description that several fields have, and that the first page gives once. */
export interface Common {
  readonly anchor: string;
  readonly names: readonly string[];
  readonly description: string;
}

/** Returns the long descriptions that more than a few fields of requests have. */
export function commonFields({ groups }: Reference): Common[] {
  const fields = groups.flatMap(({ operations }) =>
    operations.flatMap(({ parameters, body }) => [...parameters, ...body]),
  );
  return [...Map.groupBy(fields, ({ description }) => description)]
    .filter(([description, having]) => description.length > 120 && having.length > 3)
    .map(([description, having]) => {
      const names = [...new Set(having.map(({ name }) => name.replace(/^.*\./, '')))];
      return { anchor: `common-${names[0]}`, names: names.map((name) => `\`${name}\``), description };
    });
}

/** Returns the fields that the answers of nearly all operations of a group have, if they are more than a few. */
export function sharedAnswer(operations: readonly Operation[]): Field[] {
  const all = operations.flatMap(({ answer }) => answer.fields);
  const shared = [...Map.groupBy(all, (field) => JSON.stringify(field)).values()]
    .filter((same) => same.length > 5)
    .flatMap(([field]) => field ?? []);
  return shared.filter(({ name }) => !name.startsWith('data'));
}

/** Returns a field's description. A common one becomes its first sentence, with a link to the rest. */
export function meaningOf(description: string, common: readonly Common[]): string {
  const found = common.find((one) => one.description === description);
  const [first = ''] = /^[^.]*\./.exec(description) ?? [];
  return found === undefined ? description : `${first} [More](../api.md#${found.anchor}).`;
}
