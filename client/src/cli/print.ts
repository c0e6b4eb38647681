import { list, table } from './columns.ts';
import { csv } from './csv.ts';
import { rowOf } from './row.ts';
import { printing, writeOut } from './standard-output.ts';

export interface Format {
  readonly json?: boolean;
  readonly csv?: boolean;
}

/** Prints a table of the `shown` fields, the API's JSON, or a CSV of all `fields`. */
export async function printRows(
  objects: readonly object[],
  format: Format,
  shown: readonly string[],
  fields: readonly string[] = shown,
): Promise<void> {
  if (format.json) return printJson(objects);
  const rows = objects.map(rowOf);
  if (format.csv) return writeOut(csv(rows, fields));
  await writeOut(table(rows, shown));
}

export async function printObject(object: object, format: Format): Promise<void> {
  await (format.json ? printJson(object) : writeOut(list(rowOf(object))));
}

/** Prints an object that a command has created or changed. */
export async function printChanged(object: object, format: Format): Promise<void> {
  await printing(
    () => printObject(object, format),
    () => 'the change was made',
  );
}

/**
 * Prints an answer with a token that the service shows only once. If that fails, withdraws what the token belongs to.
 * For an answer without a token, prints the answer.
 */
export async function printToken<T extends { readonly id: string; readonly token: string | null }>(
  answer: T,
  format: Format,
  revoke: (id: string) => Promise<unknown>,
): Promise<void> {
  const { token } = answer;
  if (token === null) return printChanged(answer, format);
  const undo = () =>
    revoke(answer.id).then(
      () => `${answer.id} was revoked, because its token is lost`,
      () => `revoke ${answer.id}, because its token is lost`,
    );
  await printing(() => (format.json ? printJson(answer) : writeOut(`${token}\n`)), undo);
}

export async function printJson(value: object): Promise<void> {
  await writeOut(`${JSON.stringify(value, undefined, process.stdout.isTTY ? 2 : undefined)}\n`);
}
