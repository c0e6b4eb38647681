import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Firestore, Timestamp } from '@google-cloud/firestore';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { parseCheckpoint } from '../../../../shared/transparency/checkpoint.ts';
import { parseNote } from '../../../../shared/transparency/note.ts';
import { encodeHash, hashLeaf, rootOf } from '../../../../shared/transparency/tree.ts';
import { firestoreOf } from '../../../../test/support/firestore.ts';
import { openSealing, type PlantedLog, plantLog, sealsOf } from '../../../../test/support/sealed-log.ts';
import { removeTemporaryFolders, temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { makeTenant } from '../../../../test/support/tenant.ts';
import { readOwner, verifyLog } from '../../../src/cli/sealed-log/verify.ts';
import { type Ended, esk, eskHere, expectFailure } from '../../support/esk.ts';
import { signedIn } from '../../support/objects.ts';

const stack = inject('stack');
const folder = temporaryFolder('esk-verify');
/** A link to a missing file, through which `esk` does not write. */
const unwritable = join(folder, 'link');
let store: Firestore;
let sealing: ReturnType<typeof openSealing>;

beforeAll(async () => {
  await symlink('missing', unwritable);
  store = firestoreOf(stack);
  sealing = openSealing(stack);
});
afterAll(async () => {
  removeTemporaryFolders();
  await store.terminate();
});

/** An audit log with seals of four, three and three entries, and the environment to run `esk` as the log's owner. */
interface OwnedLog extends PlantedLog {
  readonly env: Record<string, string>;
  verify(...args: string[]): Promise<Ended>;
}

async function makeLog(): Promise<OwnedLog> {
  const planted = await plantLog(stack, store, sealing.services, [4, 3, 3]);
  const home = temporaryFolder('home');
  const profile = { url: stack.baseUrl, issuer: 'x', client_id: 'x', expires_at: null, refresh_token: null };
  await mkdir(join(home, 'esk'));
  await writeFile(join(home, 'esk/profile.json'), JSON.stringify({ ...profile, access_token: planted.console.token }));
  const env = { XDG_CONFIG_HOME: home };
  return { ...planted, env, verify: (...args) => esk(['audit', 'verify', ...args], { env }) };
}

/** Compares the log with the saved checkpoint. Returns each finding's code with its seal, such as `row_added 1`. */
async function findingsOf({ console }: OwnedLog, kept: string): Promise<string[]> {
  const service = signedIn(console);
  const checkpoint = parseCheckpoint(parseNote(kept)?.text ?? '');
  const before = checkpoint && { message: kept, checkpoint };
  const { findings } = await verifyLog(service, await readOwner(service), before, async () => undefined);
  return findings.map(({ code, seal }) => (seal === null ? code : `${code} ${seal}`));
}

const keptOf = async ({ env, id }: OwnedLog) => {
  const checkpoints = join(env.XDG_CONFIG_HOME ?? '', 'esk/checkpoints');
  const [service = ''] = await readdir(checkpoints);
  return readFile(join(checkpoints, service, `${id}.txt`), 'utf8');
};

describe('an unaltered log', () => {
  let log: OwnedLog;
  beforeAll(async () => {
    log = await makeLog();
  });

  test('verification of an unaltered log succeeds, and a second run compares the log with the saved checkpoint', async () => {
    const uncompared =
      /^Verified 10 events in 3 seals, up to \S+Z; there was no earlier checkpoint to compare with\.\n/;
    const first = await log.verify();
    expect({ ...first, stdout: first.stdout.toString() }).toMatchObject({
      ...{ code: 0, stdout: expect.stringMatching(uncompared), stderr: '' },
    });
    const [, , newest] = await sealsOf(log.console);
    expect(await keptOf(log)).toBe(newest?.checkpoint);
    await log.console.send('POST', '/v1/keys', { name: 'not sealed yet', tier: 'free' });
    const second = await log.verify();
    expect(second.stdout.toString()).toMatch(
      /the 10 events verified last time are unchanged\.\nEvents not sealed yet: 1, the oldest from /,
    );
  });

  test('esk audit verify --json reports an unaltered log as JSON', async () => {
    const { stdout } = await log.verify('--json', '--checkpoint', join(folder, 'elsewhere.txt'));
    const found = { log: `encryption-service.local/${log.id}`, seals: 3, entries: 10 };
    expect(JSON.parse(stdout.toString())).toMatchObject(found);
    expect(await readdir(folder)).toContain('elsewhere.txt');
  });

  test('an exported log can be verified without the service', async () => {
    const dir = join(folder, 'export');
    expect(await log.verify('--export', dir)).toMatchObject({ code: 0 });
    const FILES = ['checkpoint.txt', 'entries.jsonl', 'key.txt', 'restorations.json', 'seals.json'];
    expect((await readdir(dir)).sort()).toEqual(FILES);
    const read = (name: string) => readFile(join(dir, name), 'utf8');
    const lines = (await read('entries.jsonl')).trimEnd().split('\n');
    const root = encodeHash(rootOf(lines.map((line) => hashLeaf(Buffer.from(line)))));
    const checkpoint = parseCheckpoint(parseNote(await read('checkpoint.txt'))?.text ?? '');
    expect(checkpoint).toMatchObject({ size: 10, root });
    expect(JSON.parse(await read('seals.json'))).toEqual(await sealsOf(log.console));
    expect(await read('key.txt')).toBe(`${(await log.console.send('GET', '/v1/audit/key')).body}\n`);
  });

  test('if the checkpoint cannot be stored, esk audit verify first reports the result, then exits with 1', async () => {
    const { stdout, ...ended } = await log.verify('--checkpoint', unwritable);
    expect(stdout.toString()).toMatch(/^Verified 10 events .+\n.+\n$/);
    expectFailure({ ...ended, stdout: Buffer.alloc(0) }, 1, /^esk: file_error: .+\/link: is a symbolic link .+\n$/);
  });

  test('a newer checkpoint that another run stored meanwhile is not replaced', async () => {
    const file = join(folder, 'meanwhile.txt');
    const [, , newest] = await sealsOf(log.console);
    const newer = newest?.checkpoint.replace('\n10\n', '\n99\n') ?? '';
    const send = fetch;
    const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
      if (String(url).includes('/v1/audit/seals')) await writeFile(file, newer);
      return send(url, init);
    });
    onTestFinished(() => spy.mockRestore());
    const ended = await eskHere(['audit', 'verify', '--checkpoint', file], { env: log.env });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(await readFile(file, 'utf8')).toBe(newer);
  });

  test('esk audit verify needs a signed-in user', async () => {
    const env = { ESK_URL: stack.baseUrl, ESK_API_KEY: (await makeTenant(stack, 'none')).api.token ?? '' };
    expectFailure(await esk(['audit', 'verify'], { env }), 3, /^esk: session_required: /);
  });

  test('esk audit verify refuses a checkpoint file without a valid checkpoint, and does not overwrite the file', async () => {
    const file = join(folder, 'none.txt');
    await writeFile(file, 'nothing');
    const line = /^esk: invalid_checkpoint: \S+\/none\.txt does not contain a valid checkpoint/;
    expectFailure(await log.verify('--checkpoint', file), 1, line);
    expect(await readFile(file, 'utf8')).toBe('nothing');
  });
});

/**
 * Changes by an attacker who can write to the database, as the service shows them. Counted from 0, rows 4 to 6 belong to
 * seal 1. The other changes are tested with `verifyLog` of the service.
 */
const tamperings: readonly [what: string, tamper: (log: OwnedLog) => Promise<unknown>, codes: string[]][] = [
  [
    'a row that was moved to another tenant',
    ({ rows }) => store.doc(`audit/${rows[5]}`).update({ tenant_id: crypto.randomUUID() }),
    ['entry_missing 1'],
  ],
  [
    'a row from before the creation of the tenant',
    ({ rows }) => copyRow(rows[5], Timestamp.fromMillis(0)),
    ['row_added'],
  ],
  [
    'the removal of the last seal',
    ({ id }) => store.doc(`sealHeads/${id}`).update({ next_index: 2, size: 7 }),
    ['log_cut'],
  ],
  [
    'a row that was altered before the whole log was sealed again with the real key',
    async ({ id, rows }) => {
      const documents = [0, 1, 2].map((index) => `seals/${id}_${index}`);
      for (const path of [...documents, `sealHeads/${id}`]) await store.doc(path).delete();
      await store.doc(`audit/${rows[5]}`).update({ operation: 'decrypt' });
      await sealing.seal(id);
    },
    ['log_rewritten 0'],
  ],
];

async function copyRow(id: string | undefined, ts?: Timestamp): Promise<void> {
  const row = (await store.doc(`audit/${id}`).get()).data() ?? {};
  await store.doc(`audit/${crypto.randomUUID()}`).set({ ...row, ...(ts && { ts }) });
}

describe.concurrent('changes that bypass the service', () => {
  test.for(tamperings)('verification of the audit log detects %s', async ([, tamper, codes], { expect }) => {
    const log = await makeLog();
    const newest = (await sealsOf(log.console)).at(-1)?.checkpoint ?? '';
    expect(await findingsOf(log, newest)).toEqual([]);
    await tamper(log);
    expect(await findingsOf(log, newest)).toEqual(codes);
  });

  test('esk audit verify prints one line for each finding, exits with 1 and leaves its saved checkpoint unchanged', async ({
    expect,
  }) => {
    const log = await makeLog();
    expect(await log.verify()).toMatchObject({ code: 0 });
    const kept = await keptOf(log);
    const { rows } = log;
    await store.doc(`audit/${rows[5]}`).delete();
    await copyRow(rows[8]);
    const { code, stdout, stderr } = await log.verify();
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^esk: entry_missing: seal 1 \(\S+ to \S+\): entry 5: deleted$/),
      expect.stringMatching(
        /^esk: row_added: seal 2 \(\S+ to \S+\): event [0-9a-f-]{36}: in the audit log but not sealed/,
      ),
      expect.stringMatching(/^esk: not_verified: .+: 2 findings, starting at seal 1 \(request \S+\)$/),
    ]);
    expect(await keptOf(log)).toBe(kept);
    // If the checkpoint cannot be stored either, the findings come first.
    const unstored = await log.verify('--checkpoint', unwritable);
    const found = unstored.stderr.split('\n').flatMap((line) => /^esk: (\w+): /.exec(line)?.[1] ?? []);
    expect([unstored.code, found]).toEqual([1, ['entry_missing', 'row_added', 'file_error', 'not_verified']]);
  });
});
