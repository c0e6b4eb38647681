import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { bech32 } from '@scure/base';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ROOT } from '../../test/sources.ts';
import { isInstalled } from '../../test/support/programs.ts';
import { unwrapWithIdentities } from '../src/age-plugin/identity-v1.ts';
import { Peer, type PluginService } from '../src/age-plugin/peer.ts';
import { IDENTITY, keyIdOfRecipient, recipientOf } from '../src/age-plugin/recipient.ts';
import { wrapForRecipients } from '../src/age-plugin/recipient-v1.ts';
import { ByteReader } from '../src/files/byte-reader.ts';
import { concat } from '../src/files/bytes.ts';
import { encodeStanza, readStanza, type Stanza } from '../src/files/stanza.ts';
import { decryptStream, EncryptionService, EncryptionServiceError, encryptStream } from '../src/index.ts';
import { fakeService } from '../src/testing/index.ts';
import { AGE_PLUGIN_ESK, COMPILE_CACHE, runProgram } from './support/esk.ts';
import { scriptedServer, stepOf } from './support/scripted-server.ts';
import { drain, readerOf, streamOf } from './support/streams.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const fake = fakeService();
const { keyId } = fake;
const service = new EncryptionService(fake);
let otherId: string;
beforeAll(async () => {
  ({ id: otherId } = await service.createKey({ name: 'other', tier: 'wrapped' }));
});

describe('recipients', () => {
  test('a recipient is a key ID encoded in Bech32, and decodes to the same key ID', () => {
    const recipient = recipientOf(keyId);
    expect(recipient).toMatch(/^age1esk1[02-9ac-hj-np-z]{32}$/);
    expect(keyIdOfRecipient(recipient)).toBe(keyId);
    expect(keyIdOfRecipient(recipientOf(keyId.toUpperCase()))).toBe(keyId);
    expect(() => recipientOf('backups')).toThrow(TypeError);
  });

  test('the plugin’s identity has no data and equals the identity that age creates for -j esk', () => {
    expect(IDENTITY).toBe('AGE-PLUGIN-ESK-1V68H6P');
  });

  test.each([
    ['of another plugin', 'age1yubikey1qwt50d05nh5vutpdzmlg5wn80xq5negm4uj9ghv0snvdd3yysf5yw3rhl3t'],
    ['of age itself', 'age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj'],
    ['with a wrong checksum', recipientOf(keyId).replace(/.$/, (last) => (last === 'q' ? 'p' : 'q'))],
    ['that does not contain a key id', bech32.encodeFromBytes('age1esk', new Uint8Array(4))],
    ['that is empty', ''],
  ])('a recipient %s is refused', (_, recipient) => {
    expect(() => keyIdOfRecipient(recipient)).toThrow(expect.objectContaining({ code: 'invalid_recipient' }));
  });
});

test.each([
  ['recipient-v1', 'add-recipient age1esk1'],
  ['identity-v1', 'add-identity AGE-PLUGIN-ESK-1'],
])(
  'if age closes the output pipe during %s, the plugin prints a one-line error and exits with 1',
  async (stateMachine, command) => {
    const child = spawn(process.execPath, [AGE_PLUGIN_ESK, `--age-plugin=${stateMachine}`], {
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE },
      stdio: 'pipe',
    });
    const [stderr, closed] = [text(child.stderr), once(child, 'close')];
    child.stdout.destroy();
    await once(child.stdout, 'close');
    // The plugin must exit even though its input stays open.
    child.stdin.write(concat(...[stanza(command), stanza('done')].map(encodeStanza)));
    expect(await stderr).toBe(
      'age-plugin-esk: closed_pipe: standard output was closed before all output was written\n',
    );
    expect(await closed).toEqual([1, null]);
  },
);

/** Returns a stanza of the age plugin protocol (a command or an answer): a line of arguments and an optional body. */
function stanza(line: string, body: Uint8Array = new Uint8Array()): Stanza {
  return { args: line.split(' '), body };
}

/**
 * Acts as age: sends all commands of the first phase, and then answers each command of the plugin until the plugin
 * sends `done`. Returns the plugin's commands.
 */
async function play(
  stateMachine: typeof wrapForRecipients,
  plugin: PluginService,
  commands: readonly Stanza[],
  answer = stanza('ok'),
): Promise<Stanza[]> {
  const sent: Stanza[] = [];
  let isDone = false;
  const input = new TransformStream<Uint8Array, Uint8Array>();
  const writer = input.writable.getWriter();
  const first = writer.write(concat(...[...commands, stanza('done')].map(encodeStanza)));
  const write = async (bytes: Uint8Array) => {
    const command = await readStanza(readerOf(bytes));
    if (command === undefined) throw new Error('the plugin sent no stanza');
    isDone = command.args[0] === 'done';
    if (isDone) return;
    sent.push(command);
    void writer.write(encodeStanza(answer));
  };
  await stateMachine(new Peer(new ByteReader(input.readable), write), plugin);
  await first;
  expect(isDone).toBe(true);
  return sent;
}

const words = (stanzas: readonly Stanza[]) =>
  stanzas.map(({ args, body }) => [...args, ...(body.length > 0 ? [Buffer.from(body).toString()] : [])].join(' '));
const lines = (stanzas: readonly Stanza[]) => stanzas.map(({ args }) => args.join(' '));

const explain = (error: unknown) => (error instanceof EncryptionServiceError ? error.code : Object(error).message);
const plugin = { connect: async () => service, explain };
const locked = { connect: () => Promise.reject(new Error('no credential')), explain };
const fileKeys = [randomBytes(16), randomBytes(16)];

test('every file key is wrapped for every recipient, and can be unwrapped', async () => {
  const sent = await play(wrapForRecipients, plugin, [
    stanza('grease'),
    stanza(`add-recipient ${recipientOf(keyId)}`),
    ...fileKeys.map((fileKey) => stanza('wrap-file-key', fileKey)),
    stanza(`add-recipient ${recipientOf(otherId)}`),
  ]);
  const made = [keyId, otherId].flatMap((id) => [0, 1].map((file) => `recipient-stanza ${file} esk ${id}`));
  expect(lines(sent)).toEqual(made);
  const opened = await play(unwrapWithIdentities, plugin, [
    ...sent.toSorted((one, two) => String(one.args[1]).localeCompare(String(two.args[1]))),
    stanza(`add-identity ${IDENTITY}`),
  ]);
  expect(opened).toEqual(fileKeys.map((body, file) => ({ args: ['file-key', `${file}`], body: new Uint8Array(body) })));
});

test('a file that is encrypted for several keys is decrypted with the key that the caller can use', async () => {
  const { wrapped } = await service.wrap(keyId, { dek: randomBytes(16) });
  const stanzas = [randomUUID(), keyId].map((id) => stanza(`recipient-stanza 0 esk ${id}`, wrapped));
  const sent = await play(unwrapWithIdentities, plugin, [stanza(`add-identity ${IDENTITY}`), ...stanzas]);
  expect(lines(sent)).toEqual(['file-key 0']);
});

test.each<[string, Stanza[], RegExp, PluginService?]>([
  ['a recipient of another plugin', [stanza('add-recipient age1se1qq')], /^error recipient 1 not an esk recipient/],
  ['an identity', [stanza(`add-identity ${IDENTITY}`)], /^error identity 0 cannot encrypt with -j esk/],
  ['a long file key', [stanza('wrap-file-key', randomBytes(32))], /^error internal a file key must be 16 bytes long$/],
  ['what is right, but there is no credential', [], /^error internal no credential$/],
  ['an unknown key', [stanza(`add-recipient ${recipientOf(randomUUID())}`)], /^error recipient 1 not_found$/, plugin],
])(
  'if age sends %s, the plugin answers with an error and no recipient stanza',
  async (_, wrong, error, by = locked) => {
    const right = [stanza(`add-recipient ${recipientOf(keyId)}`), stanza('wrap-file-key', randomBytes(16))];
    const sent = await play(wrapForRecipients, by, [...right, ...wrong]);
    expect(words(sent)).toEqual([expect.stringMatching(error)]);
  },
);

const sealed = (about = `esk ${keyId}`) => stanza(`recipient-stanza 0 ${about}`, randomBytes(68));
const grease = [0, 1].map((file) => stanza(`recipient-stanza ${file} grease`));
const malformed = 'error stanza 0 1 the file contains a malformed esk stanza';
const WRONG_IDENTITY = `not the esk identity; use -j esk, or put ${IDENTITY} in the identity file`;
const OTHER_IDENTITY = stanza('add-identity AGE-PLUGIN-ESK-1QQQQQQQ');
const TOO_MANY = 'error internal the file is encrypted for more than 100 keys, which is not supported';
test.each<[string, Stanza[], string[], PluginService?]>([
  ['only stanzas of other types', [sealed('X25519 abc'), ...grease], []],
  ['another identity', [OTHER_IDENTITY, sealed()], [`error identity 1 ${WRONG_IDENTITY}`]],
  ['a stanza without an ID', grease.toSpliced(1, 0, sealed('esk')), [malformed]],
  ['an invalid ID', grease.toSpliced(1, 0, sealed('esk ../../v1/me')), [malformed]],
  ['an extra argument', grease.toSpliced(1, 0, sealed(`esk ${keyId} more`)), [malformed]],
  ['no body', grease.toSpliced(1, 0, stanza(`recipient-stanza 0 esk ${keyId}`)), [malformed]],
  ['stanzas for two keys without a credential', [sealed(), sealed()], ['error stanza 0 0 no credential']],
  ['stanzas for more than 100 keys', Array(101).fill(sealed()), [TOO_MANY]],
  [
    'stanzas that the service refuses',
    [sealed(`esk ${randomUUID()}`), sealed()],
    ['error stanza 0 0 not_found', 'error stanza 0 1 invalid_ciphertext'],
    plugin,
  ],
])('if age sends %s, the plugin sends nothing but its errors', async (_, stanzas, errors, by = locked) => {
  const sent = await play(unwrapWithIdentities, by, [stanza(`add-identity ${IDENTITY}`), ...stanzas]);
  expect(words(sent)).toEqual(errors);
});

const NO_RECIPIENT = 'error recipient 0 not an esk recipient; get one with esk keys recipient KEY';
describe.each([
  ['recipient-v1', wrapForRecipients, [stanza('add-recipient age1esk1')], NO_RECIPIENT],
  [
    'identity-v1',
    unwrapWithIdentities,
    [stanza('add-identity AGE-PLUGIN-ESK-1'), sealed('X25519 abc')],
    `error identity 0 ${WRONG_IDENTITY}`,
  ],
] as const)('the state machine %s', (_, stateMachine, wrong, error) => {
  test('the plugin ignores unknown commands', async () => {
    const unknown = [stanza('grease-xyz a b', randomBytes(200)), stanza('add-recipients'), stanza('extension-labels')];
    const mixed = [...unknown, ...wrong.flatMap((command) => [command, ...unknown])];
    expect(words(await play(stateMachine, locked, mixed))).toEqual([error]);
  });

  test.each(['unsupported', 'fail', 'grease a b'])(
    'if age answers the plugin’s error with “%s”, the plugin continues and exits normally',
    async (answer) => {
      const sent = await play(stateMachine, locked, wrong, stanza(answer, randomBytes(10)));
      expect(words(sent)).toEqual([error]);
    },
  );

  test.each([
    ['ends early', '-> add-identity x\n\n'],
    ['is not a stanza', 'hello\n'],
    ['has a body that is not base64', '-> add-identity x\n!!\n'],
  ])('the plugin fails if its input %s', async (_, text) => {
    const peer = new Peer(readerOf(Buffer.from(text)), async () => {});
    await expect(stateMachine(peer, locked)).rejects.toThrow('does not speak the age plugin protocol');
  });
});

describe('age-plugin-esk', () => {
  const server = scriptedServer();
  const folder = temporaryFolder();
  /** The search path. It starts with this repository's Node, `esk` and `age-plugin-esk`. */
  const PATH = [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const environment = () => ({ PATH, ESK_URL: server.url, ESK_API_KEY: fake.apiKey });
  const plaintext = randomBytes(200_000);
  beforeEach(() => server.play(stepOf(fake)));

  test.each([
    ['refuses an unknown state machine', ['--age-plugin=recipient-v2'], 1, /^$/, /recipient-v2/],
    ['prints its identity in its help', ['--help'], 0, new RegExp(`\n${IDENTITY}\n`), /^$/],
    [
      'reports an early end of its input',
      ['--age-plugin=identity-v1'],
      1,
      /^$/,
      /^age-plugin-esk: .*speak the age .*\n$/,
    ],
  ])('the plugin %s', async (_, args, code, output, errors) => {
    const ended = await runProgram('age-plugin-esk', args, { env: environment(), input: '-> a\n' });
    expect({ ...ended, stdout: ended.stdout.toString() }).toMatchObject({
      ...{ code, stdout: expect.stringMatching(output), stderr: expect.stringMatching(errors) },
    });
  });

  describe.skipIf(!isInstalled('age'))('age with the plugin', () => {
    /** Runs age. Removes its notice that the plugin is slow, which appears on a busy machine. */
    const age = async (args: readonly string[], input: Uint8Array, env: Record<string, string> = environment()) => {
      const ended = await runProgram('age', args, { env, input });
      return { ...ended, stderr: ended.stderr.replaceAll(/^age: waiting on .*\n/gm, '') };
    };

    test('age encrypts with -r, and decrypts with -j esk or an identity from a file', async () => {
      const encrypted = await age(['-r', recipientOf(keyId)], plaintext);
      expect(encrypted).toMatchObject({ code: 0, stderr: '' });
      expect(encrypted.stdout.toString('latin1')).toContain(`\n-> esk ${keyId}\n`);
      const file = join(folder.path, 'esk.txt');
      await writeFile(file, `# no secret\n${IDENTITY}\n`);
      for (const identity of [
        ['-j', 'esk'],
        ['-i', file],
      ])
        expect(await age(['-d', ...identity], encrypted.stdout)).toMatchObject({
          code: 0,
          stdout: plaintext,
          stderr: '',
        });
    });

    test('age encrypts with armor for several keys, and the library decrypts the file', async () => {
      const { stdout } = await age(['-a', '-r', recipientOf(keyId), '-r', recipientOf(otherId)], plaintext);
      expect(await drain(streamOf(stdout).pipeThrough(decryptStream(service)))).toEqual({ output: plaintext });
    });

    const encryptedWith = async (options: object) =>
      (await drain(streamOf(plaintext).pipeThrough(encryptStream(service, keyId, options)))).output;

    test.each([true, false])('age decrypts a file that the library encrypted (with armor: %j)', async (armor) => {
      const opened = await age(['-d', '-j', 'esk'], await encryptedWith({ armor }));
      expect(opened.stdout.equals(plaintext)).toBe(true);
    });

    test('if the plugin refuses, age reports the error and writes no output', async () => {
      const withContext = await encryptedWith({ context: plaintext.subarray(0, 9) });
      const unknown = ['-r', recipientOf(randomUUID())];
      for (const [ended, reason] of [
        [await age(unknown, plaintext), /not_found: .*\(request \S+\)/],
        [await age(unknown, plaintext, { PATH }), /^(?!.*\.ts).*ESK_API_KEY/s],
        [await age(['-d', '-j', 'esk'], withContext), /invalid_ciphertext/],
        [await age(['-e', '-j', 'esk'], plaintext), /esk keys recipient/],
      ] as const)
        expect(ended).toMatchObject({ code: 1, stdout: Buffer.alloc(0), stderr: expect.stringMatching(reason) });
    });
  });
});
