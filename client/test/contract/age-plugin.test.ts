import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { ROOT } from '../../../test/sources.ts';
import { isInstalled } from '../../../test/support/programs.ts';
import { makeTenant, type Tenant } from '../../../test/support/tenant.ts';
import { unwrapWithIdentities } from '../../src/age-plugin/identity-v1.ts';
import { IDENTITY, recipientOf } from '../../src/age-plugin/recipient.ts';
import { wrapForRecipients } from '../../src/age-plugin/recipient-v1.ts';
import { decryptStream, type EncryptionService, EncryptionServiceError, encryptStream } from '../../src/index.ts';
import { runProgram } from '../support/esk.ts';
import { serviceOf } from '../support/objects.ts';
import { play, stanza, words } from '../support/scripted-peer.ts';
import { drain, streamOf } from '../support/streams.ts';

/** The search path. It starts with this repository's Node, `esk` and `age-plugin-esk`. */
const PATH = [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter);

let tenant: Tenant;
let service: EncryptionService;
let keyId: string;
beforeAll(async () => {
  tenant = await makeTenant(inject('stack'));
  service = serviceOf(tenant);
  keyId = await tenant.createKey('software');
});

const plugin = {
  connect: async () => service,
  explain: (error: unknown) => (error instanceof EncryptionServiceError ? error.code : String(error)),
};

describe('wrapping and unwrapping of file keys', () => {
  const fileKeys = [randomBytes(16), randomBytes(16)];

  test('every file key is wrapped for every recipient, and can be unwrapped', async () => {
    const other = await tenant.createKey('wrapped');
    const sent = await play(wrapForRecipients, plugin, [
      stanza('grease'),
      stanza(`add-recipient ${recipientOf(keyId)}`),
      ...fileKeys.map((fileKey) => stanza('wrap-file-key', fileKey)),
      stanza(`add-recipient ${recipientOf(other)}`),
    ]);
    expect(sent.map(({ args }) => args.join(' '))).toEqual([
      `recipient-stanza 0 esk ${keyId}`,
      `recipient-stanza 1 esk ${keyId}`,
      `recipient-stanza 0 esk ${other}`,
      `recipient-stanza 1 esk ${other}`,
    ]);
    const opened = await play(unwrapWithIdentities, plugin, [
      ...sent.toSorted((one, two) => String(one.args[1]).localeCompare(String(two.args[1]))),
      stanza(`add-identity ${IDENTITY}`),
    ]);
    expect(opened).toEqual(
      fileKeys.map((body, file) => ({ args: ['file-key', `${file}`], body: new Uint8Array(body) })),
    );
  });

  test('if the plugin cannot wrap a file key for one recipient, it wraps the file key for no recipient', async () => {
    const sent = await play(wrapForRecipients, plugin, [
      stanza(`add-recipient ${recipientOf(keyId)}`),
      stanza(`add-recipient ${recipientOf(randomUUID())}`),
      stanza('wrap-file-key', randomBytes(16)),
    ]);
    expect(words(sent)).toEqual(['error recipient 1 not_found']);
  });

  test('a file that is encrypted for several keys is decrypted with the key that the caller can use', async () => {
    const { wrapped } = await service.wrap(keyId, { dek: new Uint8Array(fileKeys[0] ?? []) });
    const sent = await play(unwrapWithIdentities, plugin, [
      stanza(`add-identity ${IDENTITY}`),
      stanza(`recipient-stanza 0 esk ${randomUUID()}`, wrapped),
      stanza(`recipient-stanza 0 esk ${keyId}`, wrapped),
    ]);
    expect(sent.map(({ args }) => args.join(' '))).toEqual(['file-key 0']);
  });

  test('the plugin reports each stanza that the service refuses, with the reason', async () => {
    const sent = await play(unwrapWithIdentities, plugin, [
      stanza(`add-identity ${IDENTITY}`),
      stanza(`recipient-stanza 0 esk ${randomUUID()}`, randomBytes(68)),
      stanza(`recipient-stanza 0 esk ${keyId}`, randomBytes(68)),
    ]);
    expect(words(sent)).toEqual(['error stanza 0 0 not_found', 'error stanza 0 1 invalid_ciphertext']);
  });
});

const environment = () => ({ PATH, ESK_URL: tenant.api.stack.baseUrl, ESK_API_KEY: tenant.api.token ?? '' });
const plaintext = randomBytes(200_000);

/** These tests are skipped if age is missing and cannot be installed. */
describe.skipIf(!isInstalled('age'))('age with the plugin', () => {
  /** Runs age. Removes its notice that the plugin is slow, which appears on a busy machine. */
  const age = async (args: readonly string[], input: Uint8Array, env: Record<string, string> = environment()) => {
    const ended = await runProgram('age', args, { env, input });
    return { ...ended, stderr: ended.stderr.replaceAll(/^age: waiting on .*\n/gm, '') };
  };

  test('age encrypts with -r and decrypts with -j esk', async () => {
    const encrypted = await age(['-r', recipientOf(keyId)], plaintext);
    expect(encrypted).toMatchObject({ code: 0, stderr: '' });
    expect(encrypted.stdout.toString('latin1')).toContain(`\n-> esk ${keyId}\n`);
    expect(await age(['-d', '-j', 'esk'], encrypted.stdout)).toMatchObject({ code: 0, stdout: plaintext, stderr: '' });
  });

  test('age encrypts with armor for several keys, and the library decrypts the file', async () => {
    const other = await tenant.createKey('wrapped');
    const { stdout } = await age(['-a', '-r', recipientOf(keyId), '-r', recipientOf(other)], plaintext);
    expect(await drain(streamOf(stdout).pipeThrough(decryptStream(service)))).toEqual({ output: plaintext });
  });

  test.each([
    ['with armor', true],
    ['without armor', false],
  ])('age decrypts a file that the library encrypted %s', async (_, armor) => {
    const { output } = await drain(streamOf(plaintext).pipeThrough(encryptStream(service, keyId, { armor })));
    expect((await age(['-d', '-j', 'esk'], output)).stdout.equals(plaintext)).toBe(true);
  });

  test('age reads the plugin’s identity from a file', async () => {
    const { stdout } = await age(['-r', recipientOf(keyId)], plaintext);
    const file = join(await mkdtemp(join(tmpdir(), 'identities-')), 'esk.txt');
    await writeFile(file, `# no secret\n${IDENTITY}\n`);
    const opened = await age(['-d', '-i', file], stdout);
    await rm(dirname(file), { recursive: true });
    expect(opened.stdout.equals(plaintext)).toBe(true);
  });

  test('if the service refuses, age reports the error and writes no output', async () => {
    const unknown = await age(['-r', recipientOf(randomUUID())], plaintext);
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringMatching(/not_found: .*\(request \S+\)/) });
    expect(unknown.stdout.length).toBe(0);
    const { output } = await drain(
      streamOf(plaintext).pipeThrough(encryptStream(service, keyId, { context: plaintext.subarray(0, 9) })),
    );
    const withContext = await age(['-d', '-j', 'esk'], output);
    expect(withContext).toMatchObject({ code: 1, stderr: expect.stringContaining('invalid_ciphertext') });
    expect(withContext.stdout.length).toBe(0);
  });

  test('age reports a missing credential', async () => {
    const { code, stderr } = await age(['-r', recipientOf(keyId)], plaintext, { PATH });
    expect(code).toBe(1);
    expect(stderr).toContain('ESK_API_KEY');
    expect(stderr).not.toContain('.ts');
  });

  test('age refuses to encrypt with -j esk, and says how to get a recipient', async () => {
    const { code, stderr } = await age(['-e', '-j', 'esk'], plaintext);
    expect([code, stderr]).toEqual([1, expect.stringContaining('esk keys recipient')]);
  });
});

describe('age-plugin-esk', () => {
  test('the plugin refuses an unknown state machine', async () => {
    const ended = await runProgram('age-plugin-esk', ['--age-plugin=recipient-v2'], { env: environment() });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('recipient-v2') });
    expect(ended.stdout.length).toBe(0);
  });

  test('the plugin’s help shows its usage and its identity', async () => {
    const { code, stdout } = await runProgram('age-plugin-esk', ['--help'], { env: { PATH } });
    expect([code, stdout.toString()]).toEqual([0, expect.stringContaining(`\n${IDENTITY}\n`)]);
  });

  test('the plugin reports an early end of its input without a stack trace', async () => {
    const ended = await runProgram('age-plugin-esk', ['--age-plugin=identity-v1'], {
      env: environment(),
      input: '-> a\n',
    });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/^age-plugin-esk: .*does not speak the age plugin protocol\n$/);
  });
});
