import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { listen, portOf } from '../../../../emulators/base/listen.ts';
import { type AuditEvent, eventsOfTenant } from '../../../../test/support/audit.ts';
import { firestoreOf } from '../../../../test/support/firestore.ts';
import { operate } from '../../../../test/support/operations.ts';
import { ownStack } from '../../../../test/support/own-stack.ts';
import { later, MINUTE_MS, readClock, setClock, setFaults } from '../../../../test/support/steer.ts';
import { join as joinTenant } from '../../../../test/support/team.ts';
import { removeTemporaryFolders, temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { makeTenant, signIn, type Tenant } from '../../../../test/support/tenant.ts';
import { esk, expectFailure, start } from '../../support/esk.ts';

const stack = ownStack();
afterAll(removeTemporaryFolders);

let tenant: Tenant;
let folder: string;
let state: string;
beforeEach(async () => {
  tenant = await makeTenant(stack);
  folder = temporaryFolder('follow');
  state = join(folder, 'state');
});

/** The environment of an auditor that is a machine. Its token is valid whatever the clock is moved to. */
async function auditor(): Promise<Record<string, string>> {
  const { session } = await joinTenant(tenant, 'auditor', { expires_in: 1_000_000 });
  return { ESK_URL: stack.baseUrl, ESK_ACCESS_TOKEN: session.token ?? '' };
}

/** Moves the clock on, so that all events so far are old enough to be printed. */
async function grow(): Promise<void> {
  await setClock(stack, later(await readClock(stack), 3 * MINUTE_MS));
}

/** Makes an address of the service that tells how many requests to it were answered. */
async function countedService() {
  let answered = 0;
  const server = createServer((message, response) => {
    const { method, headers, url } = message;
    const forwarded = request(`${stack.baseUrl}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response).once('finish', () => answered++);
    });
    message.pipe(forwarded);
  });
  await listen(server, 0);
  onTestFinished(() => void server.close().closeAllConnections());
  return { ESK_URL: `http://127.0.0.1:${portOf(server)}`, answered: () => answered };
}

const follow = (env: Record<string, string>, ...args: string[]) => esk(['audit', 'follow', ...args], { env });
async function printed(env: Record<string, string>): Promise<AuditEvent[]> {
  const { stdout } = await follow(env, '--state', state, '--once');
  const lines = stdout.toString().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}
const printedIds = async (env: Record<string, string>) => (await printed(env)).map(({ id }) => id);

/** Starts the command. `nextId` waits for the next event that it prints. */
function following(env: Record<string, string>, ...args: string[]) {
  const { child, ended } = start(['audit', 'follow', ...args], { env });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return { child, ended, nextId: async () => JSON.parse((await lines.next()).value ?? '{}').id };
}

async function allEvents(): Promise<AuditEvent[]> {
  return (await eventsOfTenant(await signIn(stack, tenant.subject, { expires_in: 1_000_000 }))).toReversed();
}

async function makeEvents(count: number): Promise<string[]> {
  const key = await tenant.createKey('wrapped');
  await Promise.all(
    Array.from({ length: count - 1 }, () => operate(tenant.api, key, 'encrypt', { plaintext: 'AAAA' })),
  );
  return (await allEvents()).slice(-count).map(({ id }) => id);
}

describe('esk audit follow', () => {
  test('the first run prints nothing that is there already, later runs print each event once, as the API shows it', async () => {
    const env = await auditor();
    const nothing = { code: 0, stdout: Buffer.alloc(0), stderr: '' };
    expect(await follow(env, '--state', state, '--once')).toMatchObject(nothing);
    const ids = await makeEvents(7);
    expect(await follow(env, '--state', state, '--once')).toMatchObject(nothing);
    await grow();
    const events = await printed(env);
    expect(events.map(({ id }) => id)).toEqual(ids);
    expect(events).toEqual((await allEvents()).slice(-7));
    expect(await printed(env)).toEqual([]);
  });

  test('without a file, only events from now on are printed, while they become two minutes old', async () => {
    const { ESK_URL, answered } = await countedService();
    const env = { ...(await auditor()), ESK_URL };
    await makeEvents(3);
    const { child, ended, nextId } = following(env, '--interval', '1');
    // The first answer shows where the log ends.
    await expect.poll(answered).toBeGreaterThan(1);
    const ids = await makeEvents(3);
    await grow();
    for (const id of ids) expect(await nextId()).toBe(id);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  });

  test('after kills at any line, the next runs continue without a gap, and repeat at most the line of each kill', async () => {
    const env = await auditor();
    await follow(env, '--state', state, '--once');
    const ids = await plantEvents(700, 0);
    await grow();
    const runs: string[][] = [];
    for (let kill = 0; kill < 6; kill++) {
      const { child, ended } = start(['audit', 'follow', '--state', state, '--once'], { env });
      const lines: string[] = [];
      for await (const line of createInterface(child.stdout)) {
        if (lines.length === 0) child.kill('SIGKILL');
        lines.push(JSON.parse(line).id);
      }
      await ended;
      runs.push(lines);
    }
    expect(runs[0]?.length).toBeLessThan(700);
    runs.push(await printedIds(env));
    const all: string[] = [];
    for (const run of runs) all.push(...(run[0] === all.at(-1) ? run.slice(1) : run));
    expect(all).toEqual(ids);
  });

  test('an event that becomes visible up to ten minutes late is printed when it is seen, also after a restart, and once', async () => {
    const env = await auditor();
    await follow(env, '--state', state, '--once');
    await setClock(stack, later(await readClock(stack), 15 * MINUTE_MS));
    const ids = await makeEvents(4);
    await grow();
    expect(await printedIds(env)).toEqual(ids);
    const late = await plantEvents(2, -9 * MINUTE_MS);
    expect(await printedIds(env)).toEqual(late);
    const { ESK_URL, answered } = await countedService();
    const { child, ended, nextId } = following({ ...env, ESK_URL }, '--state', state, '--interval', '1');
    await expect.poll(answered).toBeGreaterThan(2);
    const [later2] = await plantEvents(1, -8 * MINUTE_MS);
    await setClock(stack, later(await readClock(stack), 1.1 * MINUTE_MS));
    expect(await nextId()).toBe(later2);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0 });
  });

  test('while the service fails, it says what it waits for, and goes on afterwards', async () => {
    const env = await auditor();
    await follow(env, '--state', state, '--once');
    const ids = await makeEvents(3);
    await grow();
    await setFaults(stack, { firestore: 'down' });
    const { child, ended, nextId } = following(env, '--state', state, '--once');
    const [said] = await once(child.stderr, 'data');
    expect(String(said)).toMatch(/^esk: internal_error: .*; trying again in \d+ s\n$/);
    await setFaults(stack, { firestore: null });
    for (const id of ids) expect(await nextId()).toBe(id);
    expect(await ended).toMatchObject({ code: 0 });
  });

  /** Stores events of the tenant with times from `ms` after the clock's, and returns their ids in order. */
  async function plantEvents(count: number, ms: number): Promise<string[]> {
    const store = firestoreOf(stack);
    const [{ docs: [row] = [] }, from] = await Promise.all([
      store.collection('audit').where('tenant_id', '==', tenant.id).limit(1).get(),
      readClock(stack),
    ]);
    const { Timestamp } = await import('@google-cloud/firestore');
    const startMs = Date.parse(from) + ms;
    const writer = store.bulkWriter({ throttling: false });
    const ids = Array.from({ length: count }, (_, at) => {
      const id = randomUUID();
      void writer.create(store.doc(`audit/${id}`), {
        ...row?.data(),
        shard: Number.parseInt(id.slice(-4), 16) % 8,
        ts: Timestamp.fromMillis(startMs + at),
      });
      return id;
    });
    await writer.close();
    await store.terminate();
    return ids;
  }
});

describe('failures of esk audit follow', () => {
  test('a refused token and an API key without an access token are exit 4', async () => {
    const env = await auditor();
    expectFailure(await follow({ ...env, ESK_ACCESS_TOKEN: 'wrong' }, '--once'), 4, /^esk: unauthorized: /);
    const apiKey = { ESK_URL: stack.baseUrl, ESK_API_KEY: tenant.api.token ?? '' };
    expectFailure(await follow(apiKey, '--once'), 4, /^esk: unauthorized: no access token/);
  });

  test('a person without a tenant is exit 3, and no tenant is made for them', async () => {
    const nobody = await signIn(stack, randomUUID());
    const env = { ESK_URL: stack.baseUrl, ESK_ACCESS_TOKEN: nobody.token ?? '' };
    expectFailure(await follow(env, '--state', state, '--once'), 3, /^esk: no_tenant: /);
    expect(await nobody.send('GET', '/v1/keys')).toMatchObject({ status: 403, body: { error: 'no_tenant' } });
    expect(existsSync(state)).toBe(false);
  });

  test('the token in a file is read for every call, and an empty or missing file is exit 1', async () => {
    const { ESK_URL, answered } = await countedService();
    const { ESK_ACCESS_TOKEN = '' } = await auditor();
    const path = join(folder, 'token');
    const env = { ESK_URL, ESK_ACCESS_TOKEN_FILE: path };
    expectFailure(await follow(env, '--once'), 1, new RegExp(path));
    writeFileSync(path, ' \n');
    expectFailure(await follow(env, '--once'), 1, new RegExp(path));
    writeFileSync(path, `${ESK_ACCESS_TOKEN}\n`);
    const { ended } = start(['audit', 'follow', '--interval', '1'], { env });
    await expect.poll(answered).toBeGreaterThan(1);
    // While it is written, a file is empty for a moment.
    writeFileSync(`${path}.new`, 'wrong');
    renameSync(`${path}.new`, path);
    expect(await ended).toMatchObject({ code: 4, signal: null });
  });

  test('a state that is empty, malformed, cut or another tenant’s is exit 1 with its name, and stays as it is', async () => {
    const env = await auditor();
    await follow(env, '--state', state, '--once');
    const good = readFileSync(state, 'utf8');
    for (const text of ['', '{}\n', 'state', good.trimEnd(), `${good}{"ts":"soon","id":""}\n`]) {
      writeFileSync(state, text);
      expectFailure(await follow(env, '--state', state, '--once'), 1, new RegExp(state));
      expect(readFileSync(state, 'utf8')).toBe(text);
    }
    writeFileSync(state, good);
    tenant = await makeTenant(stack);
    expectFailure(await follow(await auditor(), '--state', state, '--once'), 1, new RegExp(state));
    expect(readFileSync(state, 'utf8')).toBe(good);
  });

  test('a closed output is exit 1, and the state covers no line that was not written', async () => {
    const env = await auditor();
    await follow(env, '--state', state, '--once');
    const ids = await makeEvents(3);
    await grow();
    const { child, ended } = start(['audit', 'follow', '--state', state], { env });
    child.stdout.destroy();
    expect(await ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/^esk: closed_pipe: /) });
    expect(await printedIds(env)).toEqual(ids);
  });
});
