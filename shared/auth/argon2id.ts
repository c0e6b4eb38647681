import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** OWASP's second Argon2id profile (Password Storage Cheat Sheet): 19 MiB, 2 passes, 1 lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const derive = promisify(argon2);

/** Returns a PHC string with a 16-byte salt. Runs in Node's thread pool. */
export async function hashSecret(secret: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await derive('argon2id', { ...COST, message: secret, nonce });
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${bare(nonce)}$${bare(tag)}`;
}

/** Returns whether the secret has this hash. Throws an `Error` when `hash` is not an Argon2id PHC string. */
export async function verifyHash(hash: string, secret: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', expected = ''] = PHC.exec(hash) ?? [];
  if (memory === undefined) throw new Error('a stored secret hash is malformed');
  const tag = Buffer.from(expected, 'base64');
  const derived = await derive('argon2id', {
    message: secret,
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: tag.length,
  });
  return timingSafeEqual(derived, tag);
}

function bare(bytes: Buffer): string {
  return bytes.toString('base64').replace(/={1,2}$/, '');
}
