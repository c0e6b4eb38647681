import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { buildSync } from 'esbuild';
import { expect, vi } from 'vitest';
import { ROOT } from '../../../test/sources.ts';
import { signInFrom } from '../../../test/support/code-flow.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { run as runHere } from '../../src/cli/esk.ts';

/** Node's compile cache, which halves the start time of the next run. */
export const COMPILE_CACHE = join(tmpdir(), 'esk-test-cache');

const BUNDLES = join(ROOT, 'node_modules/.cache/esk');

/** Bundles a program of `client/src/cli`, because a process loads one file three times faster than two hundred. */
function bundled(name: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(import.meta.dirname, '../../src/cli', `${name}.ts`)],
    bundle: true,
    platform: 'node',
    footer: { js: 'void module.exports.main(process.argv.slice(2));' },
    write: false,
  });
  const file = join(BUNDLES, `${name}.cjs`);
  mkdirSync(BUNDLES, { recursive: true });
  // Other workers write the same file and start it at the same time.
  const part = `${file}.${process.pid}`;
  writeFileSync(part, outputFiles[0]?.text ?? '');
  renameSync(part, file);
  return file;
}

/** The paths of the programs. */
export const ESK = bundled('esk');
export const AGE_PLUGIN_ESK = bundled('age-plugin-esk');

export interface Run {
  /** Environment variables to add to the few that programs need to run. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  /** Standard input; none by default. */
  readonly input?: string | Uint8Array;
}

export interface Ended {
  /** `null` if a signal ended the program. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly ended: Promise<Ended>;
}

/** Starts `esk`. The caller reads its standard output, so the `stdout` of `ended` is empty. */
export function start(args: readonly string[], { env, cwd }: Run = {}): Running {
  const { child, ended } = launch([ESK, ...args], { env, cwd });
  return { child, ended: Promise.all([ended, text(child.stderr)]).then(([how, stderr]) => ({ ...how, stderr })) };
}

/** Runs `esk` in a process until it exits. */
export const esk = (args: readonly string[], options: Run = {}) =>
  runProgram(process.execPath, [ESK, ...args], options);

/** Runs a program until it exits, without other credentials than those in the options. */
export async function runProgram(name: string, args: readonly string[], options: Run = {}): Promise<Ended> {
  const { child, ended } = launch(args, options, name);
  child.stdin.end(options.input);
  const [how, stdout, stderr] = await Promise.all([ended, buffer(child.stdout), text(child.stderr)]);
  return { ...how, stdout, stderr };
}

/**
 * Runs `esk` in this process: for commands that do not read standard input, one at a time. The standard
 * streams of a test's process are sockets.
 */
export async function eskHere(args: readonly string[], { env = {}, cwd }: Omit<Run, 'input'> = {}): Promise<Ended> {
  const [before, folder] = [process.env, process.cwd()];
  const written = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((data: string | Uint8Array, ...rest: unknown[]) => {
      written[name].push(Buffer.from(data));
      const done = rest.at(-1);
      if (typeof done === 'function') done();
      return true;
    }),
  );
  process.env = { PATH: before.PATH, HOME: join(tmpdir(), 'nobody'), ...env };
  if (cwd !== undefined) process.chdir(cwd);
  try {
    const code = await runHere(args);
    const stderr = Buffer.concat(written.stderr).toString();
    return { code, signal: null, stdout: Buffer.concat(written.stdout), stderr };
  } finally {
    process.chdir(folder);
    process.env = before;
    for (const spy of spies) spy.mockRestore();
  }
}

/** Runs `esk` with `--json` and returns its output. Throws if the run fails. */
export async function eskJson(args: readonly string[], options: Run = {}): Promise<unknown> {
  const { code, stdout, stderr } = await eskHere([...args, '--json'], options);
  if (code !== 0) throw new Error(`esk ${args.join(' ')}: ${code} ${stderr}`);
  return JSON.parse(stdout.toString());
}

/** Runs a line of bash, in which `esk` is the program, with few environment variables. */
export async function shell(line: string, options: Run) {
  const script = `esk() { '${process.execPath}' '${ESK}' "$@"; }; set -o pipefail; ${line}`;
  const { stdout, ...ended } = await runProgram('bash', ['-c', script], options);
  return { ...ended, stdout: stdout.toString() };
}

function launch(args: readonly string[], { env, cwd }: Run, name = process.execPath) {
  const child = spawn(name, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: join(tmpdir(), 'nobody'), NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // Writing fails if the program exits before it has read all of its input.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout: Buffer.alloc(0), stderr: '' }));
  });
  return { child, ended };
}

/** The end of the error line, if the service received the request. */
export const REQUEST = String.raw`\(request [0-9a-f-]{36}\)\n$`;

/** Checks a failed run of `esk`: its exit code, an empty standard output, and one line that gives the reason. */
export function expectFailure({ code, stdout, stderr }: Ended, exitCode: number, line: RegExp): void {
  expect(stderr).toMatch(line);
  expect(stderr).toMatch(/^esk: [a-z_]+: .+\n$/);
  expect(code).toBe(exitCode);
  expect(stdout.toString()).toBe('');
}

/** Whether `script` of util-linux can run programs at a terminal on this machine. */
export const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux');

/** The end of each question that `esk` asks. */
const QUESTION = 'to confirm: ';

/**
 * Runs `esk` at a terminal, and types the text when `esk` asks. Returns the exit code and everything that the terminal
 * showed.
 */
export async function atTerminal(args: readonly string[], typed: string, { env = {}, cwd }: Run) {
  const command = [process.execPath, ESK, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd,
    env: { PATH: process.env.PATH, SHELL: '/bin/sh', TERM: 'xterm', NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (some: string) => {
    const wasAsked = shown.includes(QUESTION);
    shown += some;
    if (!wasAsked && shown.includes(QUESTION)) child.stdin.write(typed);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, shown };
}

/** Signs a person in with `esk login --no-browser`, and opens the printed address as a browser would. */
export async function logIn(person: Record<string, string>, options: Run): Promise<Ended> {
  const { child, ended } = start(['login', '--no-browser'], options);
  const [address] = await once(createInterface(child.stdout), 'line');
  const back = await signInFrom(new URL(String(address)), person);
  const page = await fetch(back);
  return { ...(await ended), stdout: Buffer.from(await page.text()) };
}

const DUMP = "create table goods (name text);\ninsert into goods values ('tea');\n";

/** Signs a person in, in a new folder that also has the programs of this repository and stand-ins for PostgreSQL's. */
export async function signIn(baseUrl: string, subject: string) {
  const cwd = temporaryFolder('guide');
  const bin = join(cwd, '.bin');
  mkdirSync(bin);
  const programs = {
    esk: `exec '${process.execPath}' '${ESK}' "$@"`,
    'age-plugin-esk': `exec '${process.execPath}' '${AGE_PLUGIN_ESK}' "$@"`,
    pg_dump: `printf '%s' "$DUMP"`,
    psql: 'cat "$2"',
  };
  for (const [name, line] of Object.entries(programs))
    writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  const PATH = [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = { PATH, DUMP, HOME: cwd, XDG_CONFIG_HOME: join(cwd, '.config'), NODE_COMPILE_CACHE: COMPILE_CACHE };
  writeFileSync(join(cwd, 'settings.yaml'), 'password: secret\n');
  await logIn({ subject }, { env: { ...env, ESK_URL: baseUrl } });
  return { cwd, env };
}
