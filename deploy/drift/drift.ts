import { spawnSync } from 'node:child_process';
import { z } from 'zod';
import type { Deployment } from '../deployment.ts';
import { type Command, gcloud } from '../step.ts';
import { compareBindings } from './bindings.ts';
import { compareConsole, compareConsoleFiles, compareRules } from './kinds/firebase.ts';
import { compareFunctions } from './kinds/functions.ts';
import { compareBalancer, compareGateway, readGateway } from './kinds/gateway.ts';
import { compareKeys, compareSecrets } from './kinds/keys.ts';
import { compareAlerts, compareBudget, compareMetrics } from './kinds/monitoring.ts';
import { compareAccounts, compareApis, compareDataAccess, compareRoles } from './kinds/project.ts';
import { compareSchedules } from './kinds/schedules.ts';
import { compareStore } from './kinds/store.ts';
import type { Ask, Comparison, Context, Resource } from './resource.ts';

/** A list can be long: a gateway's document alone has 100 KiB. */
const OUTPUT_BYTES = 256 * 1024 * 1024;

/** Returns a function that runs gcloud, or curl with gcloud's credential, in the deployment's project. */
export function askGcloud({ project }: Deployment): Ask {
  const env = { ...process.env, CLOUDSDK_CORE_PROJECT: project, CLOUDSDK_CORE_DISABLE_PROMPTS: '1' };
  const run = (command: Command, input = ''): string => {
    const [program = '', ...words] = command;
    const { status, stdout, stderr, error } = spawnSync(program, words, {
      env,
      input,
      encoding: 'utf8',
      maxBuffer: OUTPUT_BYTES,
    });
    if (error) throw error;
    if (status !== 0) throw new Error(`${command.slice(0, -1).join(' ')}: ${stderr.trim()}`);
    return stdout;
  };
  // curl reads the credential from standard input, so that it appears on no command line.
  const credential = () => {
    const token = run(['gcloud', 'auth', 'print-access-token', '--quiet']).trim();
    return `header = "Authorization: Bearer ${token}"\nheader = "X-Goog-User-Project: ${project}"\n`;
  };
  return (command, output) => {
    const isCurl = command[0] === 'curl';
    const stdout = isCurl ? run([...command, '-K-'], credential()) : run([...command, '--format=json']);
    const parsed = output.safeParse(JSON.parse(stdout));
    if (!parsed.success) throw new Error(`${command.join(' ')}: unexpected output`);
    return parsed.data;
  };
}

interface Difference {
  readonly what: string;
  readonly setting: string;
  readonly expected: string;
  readonly found: string;
}

/** Returns every difference: missing resources, settings with another value, and resources that nobody asked for. */
function compare({ expected, found }: Comparison): Difference[] {
  const foundByName = new Map(found.map((one) => [one.what, one]));
  const wanted = new Set(expected.map(({ what }) => what));
  const rest = found.filter(({ what }) => !wanted.has(what));
  return [
    ...expected.flatMap((one) => differencesOf(one, foundByName.get(one.what))),
    ...rest.map(({ what }) => ({ what, setting: '', expected: 'nothing', found: 'exists' })),
  ];
}

function differencesOf({ what, settings }: Resource, found: Resource | undefined): Difference[] {
  if (found === undefined) return [{ what, setting: '', expected: 'exists', found: 'nothing' }];
  return Object.entries(settings).flatMap(([setting, value]) => {
    const other = found.settings[setting] ?? '';
    return isSame(value, other) ? [] : [{ what, setting, expected: value, found: other }];
  });
}

/** Google leaves out values that are zero, false or empty. */
function isSame(one: string, other: string): boolean {
  const empty = ['', '0', '0s', 'false'];
  return one === other || (empty.includes(one) && empty.includes(other));
}

/** Returns the differences as a table for a terminal. Long values are cut. */
export function renderDifferences(differences: readonly Difference[]): string {
  const head = { what: 'RESOURCE', setting: 'SETTING', expected: 'EXPECTED', found: 'FOUND' };
  const rows = [head, ...differences].map(({ what, setting, expected, found }) =>
    [what, setting, expected, found].map((cell) => cut(cell.replaceAll('\n', ' '))),
  );
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  return rows
    .map((row) => `${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('');
}

function cut(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}

/** The comparisons, in the order of the plan. */
const KINDS: readonly ((context: Context) => Comparison)[] = [
  ...[
    compareApis,
    compareDataAccess,
    compareAccounts,
    compareRoles,
    compareStore,
    compareRules,
    compareKeys,
    compareSecrets,
    compareBalancer,
    compareBindings,
  ],
  ...[
    compareMetrics,
    compareFunctions,
    compareGateway,
    compareSchedules,
    compareAlerts,
    compareBudget,
    compareConsole,
    compareConsoleFiles,
  ],
];

const enabledApis = z.array(z.object({ config: z.object({ name: z.string() }) }));

/** Reads what all comparisons need. */
export function readContext(
  deployment: Deployment,
  ask: Ask,
  codeOf: Context['codeOf'] = () => undefined,
  consoleFolder?: string,
): Context {
  const enabled = new Set(ask(gcloud('services', 'list', '--enabled'), enabledApis).map(({ config }) => config.name));
  const isEnabled = (api: string) => enabled.has(`${api}.googleapis.com`);
  return { deployment, ask, isEnabled, codeOf, consoleFolder, ...readGateway({ deployment, ask, isEnabled }) };
}

/** Compares what runs with the deployment file. Changes nothing. */
export function findDrift(context: Context): Difference[] {
  return compareAll(context).flatMap(compare);
}

export function compareAll(context: Context): Comparison[] {
  return KINDS.map((kind) => kind(context));
}
