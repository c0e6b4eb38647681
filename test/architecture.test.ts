import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { circles, type Import, imports, packagesOf, ROOT, sources } from './imports.ts';

const { dependencies } = z
  .object({ dependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));

/** The imports that break a rule, as lines that say who imports what. */
function breaches(isBreach: (one: Import) => boolean): string[] {
  return imports.filter(isBreach).map(({ from, to }) => `${from} -> ${to}`);
}

function isIn(folder: string): (path: string) => boolean {
  return (path) => path.startsWith(`${folder}/`);
}

/** The files under a folder that hold what the pattern finds, as lines. */
function occurrences(folders: readonly string[], pattern: RegExp, except: readonly string[] = []): string[] {
  const files = [...sources].filter(([file]) => folders.some((folder) => isIn(folder)(file)) && !except.includes(file));
  return files.flatMap(([file, source]) =>
    source.split('\n').flatMap((line, at) => (pattern.test(line) ? `${file}:${at + 1}: ${line.trim()}` : [])),
  );
}

test('the imports of the project are found', () => {
  expect(sources.size).toBeGreaterThan(100);
  expect(imports.filter(({ kind }) => kind === 'file').map(({ to }) => to)).toContain('shared/errors.ts');
  for (const { to, kind } of imports)
    if (kind === 'file' && to.endsWith('.ts')) expect([...sources.keys()]).toContain(to);
});

describe('who may import whom', () => {
  test('shared/ knows nothing of what is built on it', () => {
    expect(breaches(({ from, to, kind }) => isIn('shared')(from) && kind === 'file' && !isIn('shared')(to))).toEqual(
      [],
    );
  });

  test('functions/ imports shared/ and itself, nothing of the local stack, the operator or the tests', () => {
    const known = (to: string) => isIn('shared')(to) || isIn('functions')(to);
    expect(breaches(({ from, to, kind }) => isIn('functions')(from) && kind === 'file' && !known(to))).toEqual([]);
  });

  test('a group of functions imports no other group', () => {
    const group = (path: string) => /^functions\/(?!entry\/)([^/]+)\//.exec(path)?.[1];
    const strays = ({ from, to, kind }: Import) =>
      group(from) !== undefined && kind === 'file' && isIn('functions')(to) && group(to) !== group(from);
    expect(breaches(strays)).toEqual([]);
  });

  test('a group of functions reaches neither the store nor a client: it imports shared/ and zod', () => {
    const inGroup = (path: string) => /^functions\/[^/]+\//.test(path);
    expect(breaches(({ from, to }) => inGroup(from) && isIn('shared/store')(to))).toEqual([]);
    expect(breaches(({ from, to, kind }) => inGroup(from) && kind === 'package' && to !== 'zod')).toEqual([]);
  });

  test('the operator’s commands import shared/ alone', () => {
    expect(breaches(({ from, to, kind }) => isIn('operator')(from) && kind === 'file' && !isIn('shared')(to))).toEqual(
      [],
    );
  });

  test('what deploys imports functions/, shared/ and itself', () => {
    const known = (to: string) => ['deploy', 'functions', 'shared'].some((folder) => isIn(folder)(to));
    expect(breaches(({ from, to, kind }) => isIn('deploy')(from) && kind === 'file' && !known(to))).toEqual([]);
  });

  test('the emulators share no code with what they stand in for', () => {
    const known = (to: string) => isIn('emulators')(to);
    expect(breaches(({ from, to, kind }) => isIn('emulators')(from) && kind === 'file' && !known(to))).toEqual([]);
  });

  test('nothing but tests imports test/', () => {
    expect(breaches(({ from, to }) => isIn('test')(to) && !isIn('test')(from))).toEqual([]);
  });

  test('shared/base imports nothing above it', () => {
    const inBase = isIn('shared/base');
    expect(breaches(({ from, to, kind }) => inBase(from) && kind === 'file' && !inBase(to))).toEqual([]);
    expect(
      breaches(({ from, to, kind }) => inBase(from) && kind === 'package' && !['zod', 'ipaddr.js'].includes(to)),
    ).toEqual([]);
  });

  test('shared/store imports shared/base and the deadlines alone', () => {
    const known = (to: string) => ['shared/store', 'shared/base'].some((folder) => isIn(folder)(to));
    const strays = ({ from, to, kind }: Import) =>
      isIn('shared/store')(from) && kind === 'file' && !known(to) && to !== 'shared/config.ts';
    expect(breaches(strays)).toEqual([]);
  });

  test.each([
    ['@google-cloud/kms', 'shared/crypto'],
    ['@google-cloud/firestore', 'shared/store'],
    ['stripe', 'shared/billing'],
    ['jose', 'shared/auth'],
    ['@opentelemetry/api', 'shared/telemetry'],
    ['@opentelemetry/exporter-metrics-otlp-http', 'shared/telemetry'],
    ['@opentelemetry/resources', 'shared/telemetry'],
    ['@opentelemetry/sdk-metrics', 'shared/telemetry'],
  ])('%s is imported in %s, and in shared/env.ts, which makes the clients', (name, folder) => {
    const known = (path: string) => isIn(folder)(path) || path === 'shared/env.ts';
    const deployed = (path: string) => ['shared', 'functions', 'operator'].some((part) => isIn(part)(path));
    expect(breaches(({ from, to }) => deployed(from) && to === name && !known(from))).toEqual([]);
  });

  test.each([
    ['stripe', ['billing', 'close-month', 'router']],
    ['@google-cloud/kms', ['crypto', 'destroy-due-keys', 'health', 'keys', 'router']],
  ])('%s is in the bundles of the functions that use it, and in no other', (client, functions) => {
    const entries = [...sources.keys()].filter(isIn('functions/entry'));
    const having = entries.filter((entry) => packagesOf(entry).has(client));
    expect(having.map((entry) => basename(entry, '.ts')).toSorted()).toEqual(functions);
  });

  test('what is deployed imports only what package.json lists under dependencies', () => {
    const deployed = (path: string) => ['shared', 'functions', 'operator'].some((part) => isIn(part)(path));
    const listed = (name: string) => Object.hasOwn(dependencies, name);
    expect(breaches(({ from, to, kind }) => deployed(from) && kind === 'package' && !listed(to))).toEqual([]);
  });

  test('built-in modules are imported by their node: names', () => {
    expect(breaches(({ to, kind }) => kind === 'builtin' && !to.startsWith('node:'))).toEqual([]);
  });

  test('no file of shared/ and functions/ imports itself in a circle, when the code runs', () => {
    const isStart = (file: string) => isIn('shared')(file) || isIn('functions')(file);
    expect(circles(isStart)).toEqual([]);
  });
});

describe('what stays pure', () => {
  const PURE = [
    'shared/errors.ts',
    'shared/auth/caller.ts',
    'shared/auth/networks.ts',
    'shared/auth/rate-limit.ts',
    'shared/tenancy/token.ts',
    'shared/crypto/fields.ts',
    'shared/crypto/kdf.ts',
    'shared/crypto/limits.ts',
    'shared/crypto/message.ts',
    'shared/http/request-id.ts',
    'shared/keys/tiers.ts',
    'shared/metering/allowance.ts',
    'shared/metering/month.ts',
    'shared/tenancy/actions.ts',
    'shared/tenancy/name.ts',
    'shared/tenancy/networks.ts',
  ];

  test.each(PURE)('%s imports only pure files and shared/base', (file) => {
    expect(sources.has(file)).toBe(true);
    const known = (to: string) => PURE.includes(to) || isIn('shared/base')(to);
    const strays = ({ from, to, kind, typesOnly }: Import) =>
      from === file && kind === 'file' && !typesOnly && !known(to);
    expect(breaches(strays)).toEqual([]);
  });
});

describe('one source of time, of settings and of output', () => {
  test('the time is read in shared/base/clock.ts alone', () => {
    const pattern = /\bDate\.now\(|\bnew Date\(\s*\)|\bperformance\.timeOrigin\b/;
    expect(occurrences(['shared', 'functions', 'operator'], pattern, ['shared/base/clock.ts'])).toEqual([]);
  });

  test('the environment is read where a function starts, and nowhere else', () => {
    expect(occurrences(['shared', 'functions'], /\bprocess\.env\b/, ['functions/start.ts'])).toEqual([]);
  });

  test('only the log writes to standard output', () => {
    const pattern = /\bconsole\.\w+\(|\bprocess\.std(?:out|err)\b/;
    expect(occurrences(['shared', 'functions'], pattern, ['shared/base/log.ts'])).toEqual([]);
  });
});
