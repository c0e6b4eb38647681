import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { EncryptionService } from '../../../client/src/index.ts';
import type { Operation } from '../../../console/src/pages/reference/reference.ts';
import { readDocument } from '../../../deploy/reference/document.ts';
import { referenceOf } from '../../../deploy/reference/reference.ts';
import { ROOT } from '../../sources.ts';
import { goodRequests } from '../../support/cases.ts';
import { signInSomebody } from '../../support/team.ts';
import { type Client, makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
const operations = referenceOf(readDocument()).groups.flatMap((group) => group.operations);
const withCurl = operations.flatMap(({ curl = '', ...rest }) => (curl === '' ? [] : { ...rest, curl }));
const withLibrary = operations.flatMap(({ library = '', ...rest }) => (library === '' ? [] : { ...rest, library }));

/** Makes the users and objects that the examples act on. */
async function makeWorld() {
  const tenant = await makeTenant(stack);
  return {
    tenant,
    good: await goodRequests(tenant, 'software'),
    unsubscribed: (await makeTenant(stack, 'none')).console,
    newcomer: await signInSomebody(stack),
  };
}

type World = Awaited<ReturnType<typeof makeWorld>>;

/** Returns the token of a session that may perform the operation. */
function sessionFor({ tenant, unsubscribed, newcomer }: World, { id }: Pick<Operation, 'id'>): string {
  const others: Readonly<Record<string, Client>> = { start_checkout: unsubscribed, accept_invitation: newcomer };
  return (others[id] ?? tenant.console).token ?? '';
}

/** Returns the values of the variables in an example, by name. */
function variablesFor(world: World, operation: Pick<Operation, 'id' | 'methods' | 'path'>): Record<string, string> {
  const { id = '', body } = world.good[`${operation.methods[0]} ${operation.path}`] ?? {};
  const ids = ['KEY_ID', 'API_KEY_ID', 'CONTAINER', 'FIREWALL', 'MEMBER', 'INVITATION'].map((name) => [name, id]);
  const { ciphertext = '', wrapped = '', token = '' } = Object(body);
  return {
    ...Object.fromEntries(ids),
    BASE: stack.baseUrl,
    NAME: encodeURIComponent(id),
    API_KEY: world.tenant.api.token ?? '',
    SESSION: sessionFor(world, operation),
    CIPHERTEXT: ciphertext,
    WRAPPED: wrapped,
    TOKEN: token,
  };
}

test('every operation except the webhook has a curl example, and every operation except the webhook and Transit has a library example', () => {
  const without = (key: 'curl' | 'library') => operations.filter((one) => one[key] === undefined);
  expect(without('curl').map(({ id }) => id)).toEqual(['stripe_webhook']);
  const isWithoutLibrary = without('library').map(({ path }) => /^\/v1\/(?:transit|auth|webhooks)\//.test(path));
  expect(new Set(isWithoutLibrary)).toEqual(new Set([true]));
});

describe('curl examples in the API reference', () => {
  let world: World;
  beforeAll(async () => {
    world = await makeWorld();
  });

  /** Runs a command. Returns the body and the status that curl received. */
  async function paste(command: string, env: Record<string, string>): Promise<string> {
    const script = `curl() { command curl -sS -w '\\n%{http_code}' "$@"; }\n${command}`;
    const options = { env: { ...env, PATH: process.env.PATH ?? '' }, encoding: 'utf8' } as const;
    return (await promisify(execFile)('sh', ['-euc', script], options)).stdout;
  }

  test.each(withCurl)('the curl example of $id gets the documented status', async (operation) => {
    const [body = '', status] = (await paste(operation.curl, variablesFor(world, operation))).split(/\n(?=\d+$)/);
    expect(status, body).toBe(operation.answer.status);
  });
});

/** The helper of docs/clients.md, which the Python examples call. */
const [, helper = ''] =
  /^(import base64.*?)^hello = /ms.exec(readFileSync(join(ROOT, 'docs/clients.md'), 'utf8')) ?? [];
const hasPython = spawnSync('/usr/bin/python3', ['--version']).status === 0;

/** Runs each program on standard input with its variables, also in the environment. Prints only what fails. */
const RUN_EACH = `
import json, os, sys, traceback
for id, variables, program in json.load(sys.stdin):
    os.environ.update(variables)
    try:
        exec(program, dict(variables))
    except Exception:
        print(id, traceback.format_exc(), file=sys.stderr)
`;

test.skipIf(!hasPython)('every Python example in the API reference works', async () => {
  const world = await makeWorld();
  const programs = withCurl.map((one) => [one.id, variablesFor(world, one), `${helper}\n${one.python}`]);
  const running = promisify(execFile)('/usr/bin/python3', ['-c', RUN_EACH], { env: {} });
  running.child.stdin?.end(JSON.stringify(programs));
  expect((await running).stderr).toBe('');
});

describe('library examples in the API reference', () => {
  let world: World;
  beforeAll(async () => {
    world = await makeWorld();
  });
  const AsyncFunction: new (...source: string[]) => (...values: unknown[]) => Promise<unknown> = Object.getPrototypeOf(
    async () => {},
  ).constructor;

  test.each(withLibrary)('the library example of $id works', async (operation) => {
    const { API_KEY = '', SESSION = '', CIPHERTEXT = '', WRAPPED = '', ...ids } = variablesFor(world, operation);
    const needsSession = operation.curl?.includes('$SESSION') === true;
    const credential = needsSession ? { accessToken: () => SESSION } : { apiKey: API_KEY };
    const constants = {
      ...ids,
      CIPHERTEXT: Buffer.from(CIPHERTEXT, 'base64'),
      WRAPPED: Buffer.from(WRAPPED, 'base64'),
      service: new EncryptionService({ url: stack.baseUrl, ...credential }),
      console: { log: () => {} },
    };
    await new AsyncFunction(...Object.keys(constants), operation.library)(...Object.values(constants));
  });
});
