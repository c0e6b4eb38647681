import { list, table } from './columns.ts';
import { csv } from './csv.ts';
import { rowOf } from './row.ts';
import { writeOut } from './standard-output.ts';

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

export async function printJson(value: object): Promise<void> {
  await writeOut(`${JSON.stringify(value, undefined, process.stdout.isTTY ? 2 : undefined)}\n`);
}
