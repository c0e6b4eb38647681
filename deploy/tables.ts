import { CUSTOM_ROLES, GRANTS } from './access.ts';
import { FUNCTION_NAMES, FUNCTIONS } from './functions.ts';
import { SCHEDULES } from './schedules.ts';

/** The tables of the docs that are made from the settings, by the name of their marker. */
export const TABLES: Readonly<Record<string, () => string>> = {
  functions: () =>
    table(
      ['function', 'called by', 'memory', 'requests at a time', 'timeout', 'instances', 'decision point', 'secrets'],
      FUNCTION_NAMES.map((name) => {
        const { caller, memoryMiB, concurrency, timeoutSeconds, instances, decisionPoint, secrets } = FUNCTIONS[name];
        const cells = [code(name), caller, `${memoryMiB} MiB`, `${concurrency}`, `${timeoutSeconds} s`];
        return [...cells, instances.join(' to '), decisionPoint ? 'yes' : '', secrets.map(code).join(', ')];
      }),
    ),
  access: () =>
    table(
      ['who', 'role', 'on', 'why'],
      GRANTS.map(({ actors, role, on, why }) => [actors.map(code).join(', '), code(role), on, why]),
    ),
  roles: () =>
    table(
      ['role of ours', 'permissions'],
      Object.entries(CUSTOM_ROLES).map(([role, permissions]) => [code(role), permissions.map(code).join(', ')]),
    ),
  schedules: () =>
    table(
      ['schedule', 'calls', 'when, UTC', 'why'],
      Object.entries(SCHEDULES).map(([name, { calls, cron, why }]) => [code(name), code(calls), code(cron), why]),
    ),
};

/** A page with its tables made anew. Each table is between a comment that names it and an `end` comment. */
export function renderTables(page: string): string {
  return page.replaceAll(
    /(<!-- (\w+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (whole, start: string, name: string, end: string) => {
      const render = TABLES[name];
      return render === undefined ? whole : `${start}\n${render()}\n${end}`;
    },
  );
}

function code(text: string): string {
  return `\`${text}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
