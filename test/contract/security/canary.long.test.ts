import { randomBytes, randomUUID } from 'node:crypto';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Stack } from '../../../emulators/stack/stack.ts';
import { startStack } from '../../../emulators/stack/start-stack.ts';
import { readCases } from '../../support/cases.ts';
import { documentsOf } from '../../support/firestore.ts';
import { rotate } from '../../support/operations.ts';
import { mendStack, setFaults } from '../../support/steer.ts';
import { CanaryRun } from './canary-run.ts';

type Contents = ReadonlyMap<string, Buffer>;

/*
 * Sends known random secrets to a persistent stack, like that of `npm start`, in many requests that succeed or fail.
 * Then searches all documents, files and refusals for these secrets.
 */
const dir = mkdtempSync(join(tmpdir(), 'canary-'));
const FLAVOUR = { billing: true, console: true, wrappedRoot: true, transit: true, shortDeadlines: true };
const marker = `marker-${randomUUID()}`;
let running: Stack | undefined;
let run: CanaryRun;
let documents: Contents;
let files: Contents;

beforeAll(async () => {
  running = await startStack({ ...FLAVOUR, port: 22_480, dir });
  const stack = { baseUrl: running.overview.base_url, controlUrl: running.controlUrl };
  run = await CanaryRun.begin(stack);
  const keys = await Promise.all((['free', 'wrapped', 'software', 'hsm'] as const).map((tier) => run.makeKey(tier)));
  const pending = await run.makeKey('wrapped', marker);
  const anyId = randomUUID();

  await Promise.all([anyId, ...keys, pending].map((key) => run.operateWithAll(key)));
  await run.sendInvalidBodies(pending);
  await run.tenant.api.send('DELETE', `/v1/keys/${pending}`);
  await run.operateWithAll(pending);
  await Promise.all(keys.map((key) => rotate(run.tenant.api, key)));
  await Promise.all(keys.map((key) => run.operate(run.tenant.api, key)));
  await run.misplaceTokens();
  for (const fault of ['kms', 'pdp', 'idp', 'stripe', 'firestore', 'audit_rows'] as const) {
    const fresh = fault === 'firestore' ? [] : [await run.makeKey('wrapped')];
    await setFaults(stack, { [fault]: 'down' });
    await Promise.all([run.operateOnUsed([...keys, ...fresh]), run.useConsole()]);
    await mendStack(stack);
  }
  for (const cases of await readCases()) await run.sendRefused(cases);
  run.record(await run.tenant.api.send('PUT', '/v1/keys'));
  await run.addDataKeys();

  documents = await documentsOf(stack);
  await running.stop();
  files = filesOf(dir);
}, 240_000);

afterAll(async () => {
  await running?.stop();
  rmSync(dir, { recursive: true });
});

test('the requests with secrets get every kind of answer and use every kind of secret', () => {
  expect([...run.statuses].sort()).toEqual([200, 201, 204, 400, 401, 402, 403, 404, 405, 409, 413, 415, 429, 500, 503]);
  const kinds = new Set([...run.secrets.keys()].map((name) => name.replace(/ \d+$/, '')));
  expect([...kinds].sort()).toEqual(
    ['aad', 'api key secret', 'api key token', 'console token', 'data key', 'dek', 'made dek', 'plaintext'].sort(),
  );
});

test('the search finds text that is known to be stored, a key name and a request id, in the documents and files', () => {
  const names = new Map([['the name', Buffer.from(marker)]]);
  expect(leaks(names, documents)).toEqual([expect.stringMatching(/^the name in keys\//)]);
  expect(leaks(names, files)).toEqual([expect.stringMatching(/^the name in firestore\//)]);
  const requests = new Map([['the request', Buffer.from(run.requestId)]]);
  expect(leaks(requests, files)).toContain('the request in service.log');
  expect([...files.keys()]).toEqual(expect.arrayContaining(['service.log', 'cerbos.log', 'kms.json', 'stripe.json']));
});

test.each(['raw', 'hex', 'base64', 'base64url', 'within longer base64'])(
  'the search finds a secret in this form: %s',
  (how) => {
    const secret = randomBytes(32);
    const spelled = {
      raw: Buffer.concat([Buffer.of(1), secret]),
      hex: Buffer.from(`x${secret.toString('hex')}`),
      base64: Buffer.from(secret.toString('base64')),
      base64url: Buffer.from(secret.toString('base64url')),
      'within longer base64': Buffer.from(Buffer.concat([Buffer.of(7), secret, Buffer.of(7)]).toString('base64')),
    }[how];
    expect(leaks(new Map([['it', secret]]), new Map([['there', spelled ?? Buffer.alloc(0)]]))).toEqual(['it in there']);
  },
);

test('the search finds a secret that is split by a block boundary of an export', () => {
  const secret = randomBytes(32);
  const log = Buffer.concat([Buffer.alloc(32_758), secret.subarray(0, 10), Buffer.alloc(7), secret.subarray(10)]);
  mkdirSync(join(dir, 'split'));
  writeFileSync(join(dir, 'split', 'output-0'), log);
  expect(leaks(new Map([['it', secret]]), filesOf(dir))).toEqual(['it in split/output-0']);
});

test('no document in the store contains a secret, token, plaintext, aad or data key', () => {
  expect(leaks(run.secrets, documents)).toEqual([]);
});

test('no log or other file that the stack keeps contains a secret', () => {
  expect(leaks(run.secrets, files)).toEqual([]);
});

test('no refusal contains a secret in its headers or its body', () => {
  expect(run.refusals.size).toBeGreaterThan(200);
  expect(leaks(run.secrets, run.refusals)).toEqual([]);
});

/** Returns `NAME in PLACE` for each secret that a place contains in any encoding. */
function leaks(secrets: Contents, places: Contents): string[] {
  return [...secrets].flatMap(([name, bytes]) => {
    const needles = encodings(bytes);
    return [...places].flatMap(([place, content]) =>
      needles.some((needle) => content.includes(needle)) ? `${name} in ${place}` : [],
    );
  });
}

/**
 * Returns the bytes in each encoding to search for: raw, hexadecimal, a JSON list of numbers, and base64 at each
 * possible offset in a longer text.
 */
function encodings(bytes: Buffer): Buffer[] {
  const hex = bytes.toString('hex');
  const base64 = [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // Leaves out base64 digits at either end that also contain bits of neighboring bytes.
    const own = text.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 8) / 6));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_'), encodeURIComponent(own), own.replaceAll('/', '\\/')];
  });
  return [bytes, ...[hex, hex.toUpperCase(), bytes.join(','), ...base64].map((text) => Buffer.from(text))];
}

/** A Firestore export is a LevelDB log (leveldb, doc/log_format.md): blocks of this length, which includes a header. */
const BLOCK_LENGTH = 32_768;
const BLOCK_HEADER_LENGTH = 7;

/**
 * Returns the files of a directory, at any depth. The content of an export file is returned twice: once unchanged, and
 * once without block headers.
 */
function filesOf(dir: string): Contents {
  const files = globSync('**', { cwd: dir }).filter((name) => statSync(join(dir, name)).isFile());
  return new Map(
    files.map((name) => {
      const content = readFileSync(join(dir, name));
      // A block header can fall into the middle of a value, so the search also needs the content without headers.
      return [name, name.includes('/output-') ? Buffer.concat([content, withoutBlockHeaders(content)]) : content];
    }),
  );
}

function withoutBlockHeaders(log: Buffer): Buffer {
  const blocks = Array.from({ length: Math.ceil(log.length / BLOCK_LENGTH) }, (_, block) =>
    log.subarray(block * BLOCK_LENGTH + BLOCK_HEADER_LENGTH, (block + 1) * BLOCK_LENGTH),
  );
  return Buffer.concat(blocks);
}
