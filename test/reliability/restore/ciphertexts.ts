import { z } from 'zod';
import { type Answer, outcome } from '../../support/client.ts';
import { encrypt, operate, randomBase64 } from '../../support/operations.ts';
import type { Client } from '../../support/tenant.ts';

const shownKey = z.object({
  primary_version: z.int(),
  versions: z.array(z.object({ version: z.int(), state: z.string() })),
});

/** A ciphertext that the service acknowledged. */
interface KeptCiphertext {
  readonly by: Client;
  readonly keyId: string;
  readonly version: number;
  readonly ciphertext: string;
  readonly plaintext: string;
}

/** The result for a ciphertext that decrypts to the right plaintext. */
export const DECRYPTED = 'decrypted';

/** Returns a text that identifies a version of a key, so that versions can be compared. */
export function nameVersion(keyId: string, version: number): string {
  return `key ${keyId}, version ${version}`;
}

/** The ciphertexts that clients keep. There is one for each version of each key. */
export class Ciphertexts {
  readonly #kept: KeptCiphertext[] = [];

  /** Encrypts with the key’s primary version, and keeps the ciphertext. */
  async add(by: Client, keyId: string): Promise<void> {
    const { primary_version: version } = await showKey(by, keyId);
    const plaintext = randomBase64(16);
    this.#kept.push({ by, keyId, version, plaintext, ciphertext: await encrypt(by, keyId, plaintext) });
  }

  /** Rotates the key `times` times, and keeps one ciphertext of each new version. */
  async rotate(by: Client, keyId: string, times = 1): Promise<void> {
    for (let done = 0; done < times; done++) {
      const { status, body } = await by.send('POST', `/v1/keys/${keyId}/rotate`);
      if (status !== 200) throw new Error(`a rotation was answered ${status}: ${JSON.stringify(body)}`);
      await this.add(by, keyId);
    }
  }

  /** Returns the highest version of a key for which there is a ciphertext. */
  newestOf(keyId: string): number {
    return Math.max(...this.#kept.filter((kept) => kept.keyId === keyId).map(({ version }) => version));
  }

  /** Returns the versions of a key for which there is a ciphertext. */
  versionsOf(keyId: string): string[] {
    return this.#kept.filter((kept) => kept.keyId === keyId).map(({ version }) => nameVersion(keyId, version));
  }

  /** Returns the versions that the service shows as enabled. With these versions, the service must decrypt. */
  async enabled(): Promise<Set<string>> {
    const enabled = new Set<string>();
    for (const { by, keyId, version } of this.#kept) {
      const { versions } = await showKey(by, keyId);
      if (versions.some((one) => one.version === version && one.state === 'enabled'))
        enabled.add(nameVersion(keyId, version));
    }
    return enabled;
  }

  /** Decrypts the ciphertext of each version. Returns the result for each version: `DECRYPTED`, or the wrong answer. */
  async decryptAll(): Promise<Map<string, string>> {
    const answers = new Map<string, string>();
    for (const { by, keyId, version, ciphertext, plaintext } of this.#kept) {
      const answer = await operate(by, keyId, 'decrypt', { ciphertext });
      answers.set(nameVersion(keyId, version), isPlaintext(answer, plaintext) ? DECRYPTED : outcome(answer));
    }
    return answers;
  }
}

function isPlaintext({ status, body }: Answer, plaintext: string): boolean {
  return status === 200 && Object(body).plaintext === plaintext;
}

/** Returns a key as the service shows it. A key that no longer exists has no versions. */
async function showKey(by: Client, keyId: string): Promise<z.output<typeof shownKey>> {
  const { status, body } = await by.send('GET', `/v1/keys/${keyId}`);
  return status === 404 ? { primary_version: 0, versions: [] } : shownKey.parse(body);
}
