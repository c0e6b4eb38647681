import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Node's archives and their signed checksums are, and whose signatures count. */
export interface Source {
  /** The URL without a trailing slash. */
  readonly url: string;
  /** The file with the public keys of Node's releasers. */
  readonly keyring: string;
}

/**
 * Returns the hash of the program `node` in Node's own archive of a version. Throws an `Error` if Node's releasers have
 * not signed the archive's checksum, or if the archive has another checksum.
 */
export async function signedNodeHash({ url, keyring }: Source, version: string, platform: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'signed-node-'));
  try {
    const from = `${url}/v${version}`;
    const name = `node-v${version}-${platform}.tar.gz`;
    const [sums, signature, archive] = [join(folder, 'sums'), join(folder, 'sums.sig'), join(folder, name)];
    writeFileSync(sums, await download(`${from}/SHASUMS256.txt`));
    writeFileSync(signature, await download(`${from}/SHASUMS256.txt.sig`));
    verifySignature(keyring, signature, sums);
    const expected = new RegExp(`^([0-9a-f]{64})  ${RegExp.escape(name)}$`, 'm').exec(readFileSync(sums, 'utf8'))?.[1];
    if (expected === undefined) throw new Error(`the signed checksums do not name ${name}`);
    writeFileSync(archive, await download(`${from}/${name}`));
    if (hashOf(archive) !== expected) throw new Error(`${name} does not have its signed checksum`);
    const program = `node-v${version}-${platform}/bin/node`;
    execFileSync('tar', ['-xzf', archive, '-C', folder, program]);
    return hashOf(join(folder, program));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function verifySignature(keyring: string, signature: string, file: string): void {
  try {
    execFileSync('gpgv', ['--keyring', keyring, signature, file], { stdio: 'pipe' });
  } catch (error) {
    throw new Error('no releaser of Node has signed the checksums', { cause: error });
  }
}

async function download(url: string): Promise<Buffer> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return Buffer.from(await answer.arrayBuffer());
}

export function hashOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
