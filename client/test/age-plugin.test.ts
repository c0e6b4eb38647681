import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { bech32 } from '@scure/base';
import { describe, expect, test } from 'vitest';
import { unwrapWithIdentities } from '../src/age-plugin/identity-v1.ts';
import { Peer } from '../src/age-plugin/peer.ts';
import { IDENTITY, keyIdOfRecipient, recipientOf } from '../src/age-plugin/recipient.ts';
import { wrapForRecipients } from '../src/age-plugin/recipient-v1.ts';
import { concat } from '../src/files/bytes.ts';
import { encodeStanza } from '../src/files/stanza.ts';
import { AGE_PLUGIN_ESK, COMPILE_CACHE } from './support/esk.ts';
import { play, stanza, words } from './support/scripted-peer.ts';
import { readerOf } from './support/streams.ts';

describe('recipients', () => {
  const KEY_ID = '3f0d7c1e-8a52-4222-8333-444455556666';

  test('a recipient is the key id encoded in Bech32, and decodes to the same key id', () => {
    const recipient = recipientOf(KEY_ID);
    expect(recipient).toMatch(/^age1esk1[02-9ac-hj-np-z]{32}$/);
    expect(keyIdOfRecipient(recipient)).toBe(KEY_ID);
    expect(keyIdOfRecipient(recipientOf(KEY_ID.toUpperCase()))).toBe(KEY_ID);
  });

  test('the plugin’s identity has no data and equals the identity that age creates for -j esk', () => {
    expect(IDENTITY).toBe('AGE-PLUGIN-ESK-1V68H6P');
  });

  test.each([
    ['of another plugin', 'age1yubikey1qwt50d05nh5vutpdzmlg5wn80xq5negm4uj9ghv0snvdd3yysf5yw3rhl3t'],
    ['of age itself', 'age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj'],
    ['with a wrong checksum', `${recipientOf(KEY_ID).slice(0, -1)}q`],
    ['that does not contain a key id', bech32.encodeFromBytes('age1esk', new Uint8Array(4))],
    ['that is empty', ''],
  ])('a recipient %s is refused', (_, recipient) => {
    expect(() => keyIdOfRecipient(recipient)).toThrow(expect.objectContaining({ code: 'invalid_recipient' }));
  });

  test('a recipient can be created only from a key id', () => {
    expect(() => recipientOf('backups')).toThrow(TypeError);
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

const KEY_ID = '3f0d7c1e-8a52-4222-8333-444455556666';
const OTHER_ID = '3f0d7c1e-8a52-4222-8333-444455557777';
const fileKey = randomBytes(16);

/** A connection to the service always fails, because there is no credential. */
const service = {
  connect: () => Promise.reject(new Error('no credential')),
  explain: (error: unknown) => (error instanceof Error ? error.message : ''),
};
const wrap = (...commands: ReturnType<typeof stanza>[]) => play(wrapForRecipients, service, commands);
const unwrap = (...commands: ReturnType<typeof stanza>[]) => play(unwrapWithIdentities, service, commands);

describe('the state machine recipient-v1', () => {
  test.each([
    ['a recipient of another plugin', stanza('add-recipient age1se1qqqqqq'), /^error recipient 1 not an esk recipient/],
    ['an identity', stanza(`add-identity ${IDENTITY}`), /^error identity 0 cannot encrypt with -j esk/],
    [
      'a file key of the wrong length',
      stanza('wrap-file-key', randomBytes(32)),
      /^error internal a file key must be 16 bytes long$/,
    ],
  ])('if age sends %s, the plugin answers with an error and no recipient stanza', async (_, wrong, message) => {
    const sent = await wrap(stanza(`add-recipient ${recipientOf(KEY_ID)}`), stanza('wrap-file-key', fileKey), wrong);
    expect(words(sent)).toEqual([expect.stringMatching(message)]);
  });

  test('the plugin reports a missing credential as an internal error', async () => {
    const sent = await wrap(stanza(`add-recipient ${recipientOf(KEY_ID)}`), stanza('wrap-file-key', fileKey));
    expect(words(sent)).toEqual(['error internal no credential']);
  });
});

describe('the state machine identity-v1', () => {
  test('for a file that is encrypted only for recipients of other types, the plugin sends nothing and needs no credential', async () => {
    const others = [stanza('recipient-stanza 0 X25519 abc', randomBytes(32)), stanza('recipient-stanza 0 grease')];
    expect(await unwrap(stanza(`add-identity ${IDENTITY}`), ...others)).toEqual([]);
  });

  test('if age sends an identity other than the plugin’s, the plugin answers with an error and decrypts nothing', async () => {
    const sent = await unwrap(
      stanza(`add-identity ${IDENTITY}`),
      stanza('add-identity AGE-PLUGIN-ESK-1QQQQQQQ'),
      stanza(`recipient-stanza 0 esk ${KEY_ID}`, randomBytes(68)),
    );
    expect(words(sent)).toEqual([
      `error identity 1 not the esk identity; use -j esk, or put ${IDENTITY} in the identity file`,
    ]);
  });

  test.each([
    ['without an id', stanza('recipient-stanza 0 esk', randomBytes(68))],
    ['with an invalid id', stanza('recipient-stanza 0 esk ../../v1/me', randomBytes(68))],
    ['with an extra argument', stanza(`recipient-stanza 0 esk ${KEY_ID} more`, randomBytes(68))],
    ['without a body', stanza(`recipient-stanza 0 esk ${KEY_ID}`)],
  ])(
    'if a stanza is malformed (%s), the error contains the file number and the stanza number',
    async (_, malformed) => {
      const sent = await unwrap(
        stanza(`add-identity ${IDENTITY}`),
        stanza('recipient-stanza 0 grease'),
        malformed,
        stanza('recipient-stanza 1 grease'),
      );
      expect(words(sent)).toEqual(['error stanza 0 1 the file contains a malformed esk stanza']);
    },
  );

  test('the plugin reports a missing credential only once for a file that is encrypted for two keys', async () => {
    const sent = await unwrap(
      stanza(`add-identity ${IDENTITY}`),
      stanza(`recipient-stanza 0 esk ${KEY_ID}`, randomBytes(68)),
      stanza(`recipient-stanza 0 esk ${OTHER_ID}`, randomBytes(68)),
    );
    expect(words(sent)).toEqual(['error stanza 0 0 no credential']);
  });

  test('a file that is encrypted for more than 100 keys is refused', async () => {
    const many = Array.from({ length: 101 }, () => stanza(`recipient-stanza 0 esk ${KEY_ID}`, randomBytes(68)));
    const sent = await unwrap(stanza(`add-identity ${IDENTITY}`), ...many);
    expect(words(sent)).toEqual([
      'error internal the file is encrypted for more than 100 keys, which is not supported',
    ]);
  });
});

describe.each([
  ['recipient-v1', wrapForRecipients, 'error recipient 0 not an esk recipient; get one with esk keys recipient KEY'],
  [
    'identity-v1',
    unwrapWithIdentities,
    `error identity 0 not the esk identity; use -j esk, or put ${IDENTITY} in the identity file`,
  ],
] as const)('the state machine %s', (_, stateMachine, error) => {
  const commands = [
    stanza('add-recipient age1esk1'),
    stanza('add-identity AGE-PLUGIN-ESK-1'),
    stanza('recipient-stanza 0 X25519 abc', randomBytes(32)),
  ];
  const wrong = stateMachine === wrapForRecipients ? commands.slice(0, 1) : commands.slice(1);

  test('the plugin ignores unknown commands', async () => {
    const grease = [
      stanza('grease-xyz some thing', randomBytes(200)),
      stanza('add-recipients'),
      stanza('extension-labels'),
    ];
    const mixed = [...grease, ...wrong.flatMap((command) => [command, ...grease])];
    expect(words(await play(stateMachine, service, mixed))).toEqual([error]);
  });

  test.each([['unsupported'], ['fail'], ['grease a b']])(
    'if age answers the plugin’s error with “%s”, the plugin continues and exits normally',
    async (answer) => {
      expect(words(await play(stateMachine, service, wrong, [stanza(answer, randomBytes(10))]))).toEqual([error]);
    },
  );

  test.each([
    ['ends early', '-> add-identity x\n\n'],
    ['is not a stanza', 'hello\n'],
    ['has a body that is not base64', '-> add-identity x\n!!\n'],
  ])('the plugin fails if its input %s', async (_, text) => {
    const peer = new Peer(readerOf(Buffer.from(text)), async () => {});
    await expect(stateMachine(peer, service)).rejects.toThrow('does not speak the age plugin protocol');
  });
});
