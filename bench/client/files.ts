import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { bytesOf, type Piped, piped } from './piped.ts';

type Command = readonly [string, ...string[]];

/** What a program took to encrypt a file from a pipe, and to decrypt it into one. */
export interface Measured {
  readonly name: string;
  readonly encrypted: Piped;
  readonly decrypted: Piped;
}

/** Takes so many bytes through `esk` and, where it is installed, through `age`, one after the other. */
export async function compareFiles(
  env: Readonly<Record<string, string>>,
  keyId: string,
  length: number,
): Promise<readonly Measured[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-files-'));
  const block = randomBytes(2 ** 20);
  const measure = async (name: string, encrypt: Command, decrypt: Command): Promise<Measured> => {
    const file = join(folder, 'file.age');
    const encrypted = await piped(encrypt, env, bytesOf(length, block), (output) =>
      pipeline(output, createWriteStream(file)),
    );
    const decrypted = await piped(decrypt, env, createReadStream(file), discard);
    return { name, encrypted, decrypted };
  };
  try {
    const identity = await generateX25519Identity();
    const identities = join(folder, 'identity.txt');
    await writeFile(identities, identity);
    const esk = await measure('esk', ['esk', 'encrypt', '--key', keyId], ['esk', 'decrypt']);
    if (!(await isInstalled('age'))) return [esk];
    const recipient = await identityToRecipient(identity);
    return [esk, await measure('age', ['age', '-r', recipient], ['age', '-d', '-i', identities])];
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function discard(output: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of output);
}

async function isInstalled(program: string): Promise<boolean> {
  return promisify(execFile)(program, ['--version']).then(
    () => true,
    () => false,
  );
}
