import { anchorOf, ERROR_CODE, type Field } from '../../console/src/pages/reference/reference.ts';
import { type Common, meaningOf } from './common.ts';

export function fence(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\`\n`;
}

export function slugOf(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-');
}

/** Returns a table of fields. By default, it marks the fields that an answer may omit. */
export function fieldTable(
  fields: readonly Field[],
  common: readonly Common[],
  name = 'field',
  markOf = (required: boolean): string => (required ? '' : ', optional'),
): string {
  const rows = fields.map(({ name: path, required, description, ...typed }) => [
    `\`${path}\``,
    `${typeText(typed)}${markOf(required)}`,
    meaningOf(description, common),
  ]);
  return table([name, 'type', 'meaning'], rows);
}

export function typeText({ type, object }: Pick<Field, 'type' | 'object'>): string {
  const linked = type.replace(ERROR_CODE, `[${ERROR_CODE}](../troubleshooting.md#every-error-code)`);
  return object === undefined ? linked : linked.replace(object, `[${object}](${linkOfObject(object)})`);
}

export function linkOfObject(name: string): string {
  return `${slugOf('Objects')}.md#${anchorOf(name)}`;
}

export function linkToCode(code: string): string {
  return `[\`${code}\`](../troubleshooting.md#${code})`;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, head.map(() => '---'), ...rows];
  return cells.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`).join('');
}
