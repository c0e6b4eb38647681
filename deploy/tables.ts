import { FLAGS } from '../emulators/stack/flags.ts';
import { FINDINGS } from '../operator/checks/findings.ts';
import { ADVICE } from '../shared/error-advice.ts';
import { CATALOGUE, ERROR_CODES } from '../shared/errors.ts';
import { EVENT_NAMES, EVENTS } from '../shared/events.ts';
import type { Listed } from '../shared/http/checks.ts';
import { KEY, METERED, NEW_KEY, OBJECT, PLAIN } from '../shared/http/kinds.ts';
import { ROUTING } from '../shared/http/routing.ts';
import { ROLES } from '../shared/tenancy/role.ts';
import { TIER, TIERS } from '../shared/tiers.ts';
import { CUSTOM_ROLES, GRANTS } from './access.ts';
import { idleRows, operationRows, tenantRows } from './cost.ts';
import { listSettings } from './deployment.ts';
import { FUNCTION_NAMES, FUNCTIONS } from './functions.ts';
import { MEANINGS } from './reference/events.ts';
import { memberRules } from './reference/member-rules.ts';
import { factorRows, limitRows, shareRows, spreadRows } from './scale.ts';
import { SCHEDULES } from './schedules.ts';
import { ALERT, alertPolicies } from './steps/monitoring.ts';
import { defaultOf, VARIABLES } from './variables.ts';
import { waitRows } from './waits.ts';

/** The settings for which a deployment has every alert, with the paths of pages in the repository. */
const EVERY_ALERT = { weakeningAlert: true, docs: false, consoleOrigin: undefined };

/** For events of the redo log, which the text before the table explains. */
const REDO = '[Nothing](restore.md#changes-that-must-not-come-undone)';

/** The functions that render the generated tables of the docs, by the name in the comment before the table. */
export const TABLES: Readonly<Record<string, (page: string) => string>> = {
  codes: codeTable,
  deployment: () =>
    table(
      ['setting', 'default', 'meaning'],
      listSettings().map(({ name, defaultValue, meaning }) => [
        code(name),
        defaultValue === '' || defaultValue === 'required' ? defaultValue : code(defaultValue),
        meaning,
      ]),
    ),
  functions: () =>
    table(
      ['function', 'called by', 'memory', 'concurrent requests', 'timeout', 'instances', 'decision point', 'secrets'],
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
      ['custom role', 'permissions'],
      Object.entries(CUSTOM_ROLES).map(([role, permissions]) => [code(role), permissions.map(code).join(', ')]),
    ),
  events: () =>
    table(
      ['event', 'severity', 'meaning', 'what to do'],
      EVENT_NAMES.map((name) => {
        const { meaning, action = '' } = MEANINGS[name];
        return [code(name), EVENTS[name], meaning, action.startsWith('Nothing. If you restore') ? REDO : action];
      }),
    ),
  alerts: () =>
    table(
      ['alert', 'raised if', 'meaning, and what to do'],
      alertPolicies(EVERY_ALERT).map(({ displayName, conditions, documentation }) => [
        code(displayName.replace(ALERT, '')),
        conditions.map((one) => one.displayName).join(', or '),
        withLinks(documentation.content),
      ]),
    ),
  findings: () =>
    table(
      ['finding', 'meaning', 'what to do'],
      Object.entries(FINDINGS).map(([kind, { meaning, action }]) => [code(kind), meaning, action]),
    ),
  checks: () => {
    const kinds = [PLAIN, OBJECT, NEW_KEY, KEY, METERED].map(({ checks }) => [...ROUTING.list, ...checks]);
    const byName = new Map(kinds.toReversed().flatMap((checks) => checks.map((check) => [check.name, check])));
    return table(
      ['the request continues if', 'any', 'object', 'new key', 'key', 'operation', 'otherwise it is refused with'],
      [...byName].map(([name, { codes }]) => [
        name,
        ...kinds.map((checks) => placeIn(checks, name)),
        codes.map(code).join(', '),
      ]),
    );
  },
  memberRoles: () =>
    table(
      ['operations', ...ROLES],
      memberRules().map(({ actions, roles }) => [
        actions.map(code).join(', '),
        ...ROLES.map((role) => (roles.includes(role) ? 'yes' : 'no')),
      ]),
    ),
  tiers: () =>
    table(
      ['tier', 'per month', 'included operations', 'each further operation'],
      TIERS.map((tier) => {
        const { feeCents, monthlyOps, hardCap, overageMilliCents } = TIER[tier];
        const included = monthlyOps.toLocaleString('en-US');
        if (hardCap) return [code(tier), 'nothing', `${included}, then ${code('429 ops_cap_reached')}`, ''];
        return [
          code(tier),
          `$${(feeCents / 100).toFixed(2)}`,
          included,
          `$${(overageMilliCents / 100_000).toFixed(5)}`,
        ];
      }),
    ),
  variables: () =>
    table(
      ['variable', 'default', 'meaning'],
      Object.entries(VARIABLES).map(([name, meaning]) => [code(name), defaultOf(name), meaning]),
    ),
  flags: () =>
    table(
      ['option', 'effect'],
      Object.entries(FLAGS).map(([name, flag]) => [
        code(`--${name}${'value' in flag ? ` ${flag.value}` : ''}`),
        flag.help,
      ]),
    ),
  costIdle: () => table(['line', 'count', 'per month', 'to lower it'], idleRows()),
  costOperations: () =>
    table(['operation', 'tier', 'requests in flight', 'per million', 'largest line', 'to lower it'], operationRows()),
  costTenTenants: () => table(['line', 'count', 'per month', 'to lower it'], tenantRows(10)),
  costThousandTenants: () => table(['line', 'count', 'per month', 'to lower it'], tenantRows(1000)),
  scaleLimits: () => table(['limit', 'a full deployment needs', 'limit', 'breaks at', 'source', 'then'], limitRows()),
  scaleFactors: () => table(['load', 'limits that break', 'growth of traffic in one database takes'], factorRows()),
  scaleShares: () => table(['load, of all shares', 'refused, today', 'refused, ten times the instances'], shareRows()),
  scaleSpread: () => table(['parts', '100 tenants', '10,000 tenants', '1,000,000 tenants'], spreadRows()),
  waits: () => table(['what waits', 'in turns by', 'at a time', 'waiting, each for up to', 'past that'], waitRows()),
  schedules: () =>
    table(
      ['schedule', 'calls', 'when, UTC', 'why'],
      Object.entries(SCHEDULES).map(([name, { calls, cron, why }]) => [code(name), code(calls), code(cron), why]),
    ),
};

/** Returns the table of error codes. A code that the page explains elsewhere, at its anchor, links to that place. */
function codeTable(page: string): string {
  const others = page.replace(/<!-- codes -->[\s\S]*?<!-- end -->/, '');
  return table(
    ['status', 'code', 'meaning', 'what to do'],
    ERROR_CODES.map((name) => {
      const { meaning, action } = ADVICE[name];
      const isElsewhere = others.includes(`<a id="${name}">`);
      const shown = isElsewhere ? `[${code(name)}](#${name})` : `<a id="${name}"></a>${code(name)}`;
      return [`${CATALOGUE[name].status}`, shown, meaning, action];
    }),
  );
}

/**
 * Returns a page with its tables rendered again. A comment with the table's name precedes each table, and an `end`
 * comment follows it.
 */
export function renderTables(page: string): string {
  return page.replaceAll(
    /(<!-- (\w+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (whole, start: string, name: string, end: string) => {
      const render = TABLES[name];
      return render === undefined ? whole : `${start}\n${render(page)}\n${end}`;
    },
  );
}

/** Returns the number of the check in its order, in bold if its refusals are recorded. */
function placeIn(checks: readonly Listed[], name: string): string {
  const at = checks.findIndex((check) => check.name === name);
  if (at < 0) return '';
  return checks[at]?.isRecorded ? `**${at + 1}**` : `${at + 1}`;
}

function code(text: string): string {
  return `\`${text}\``;
}

/**
 * Replaces the paths of pages with links. Alerts name pages by path, because alerts are also sent by email, where
 * relative links do not work.
 */
function withLinks(text: string): string {
  return text.replaceAll(/`docs\/([\w-]+\.md(?:#[\w-]+)?)`(?: in the repository)?/g, '[$1]($1)');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
