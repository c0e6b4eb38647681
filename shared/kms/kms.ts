import type { KeyManagementServiceClient } from '@google-cloud/kms';
import { type Instant, makeInstant } from '../base/clock.ts';
import { withDeadline } from '../base/deadline.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { GRPC, hasStatus } from '../grpc/status.ts';
import type { ProtectionLevel } from '../tiers.ts';
import { crc32c } from './crc32c.ts';
import { ChecksumMismatch, isChecksumRefusal, refuseUnverified, retryDamaged, verified } from './integrity.ts';

/** See https://cloud.google.com/kms/docs/sorting-and-filtering. */
const NOT_DESTROYED = 'state=ENABLED OR state=PENDING_GENERATION';

const POLL_MS = 100;
const CALL = { timeout: DEADLINES_MS.kms };

export interface MadeVersion {
  readonly name: string;
  readonly createdAt: Instant;
}

/** CRC32C guards every payload both ways; a mismatch is retried, then thrown, and never taken for a bad ciphertext. */
export class Kms {
  readonly #load: () => Promise<KeyManagementServiceClient>;
  readonly #keyRing: string;
  #client: Promise<KeyManagementServiceClient> | undefined;

  /** `load` is called once, at the first use, because it is slow. */
  constructor(keyRing: string, load: () => Promise<KeyManagementServiceClient>) {
    this.#keyRing = keyRing;
    this.#load = load;
  }

  /** Encrypts under a CryptoKey's primary or a named version. Returns `undefined` when that is not enabled. */
  encrypt(name: string, plaintext: Uint8Array, aad: Uint8Array): Promise<Buffer | undefined> {
    return retryDamaged(async () => {
      const client = await this.#ready();
      try {
        const [answer] = await client.encrypt(
          {
            name,
            plaintext,
            plaintextCrc32c: { value: await crc32c(plaintext) },
            additionalAuthenticatedData: aad,
            additionalAuthenticatedDataCrc32c: { value: await crc32c(aad) },
          },
          CALL,
        );
        refuseUnverified(answer);
        return await verified(answer.ciphertext, answer.ciphertextCrc32c?.value);
      } catch (error) {
        if (hasStatus(error, GRPC.FAILED_PRECONDITION)) return undefined;
        throw error;
      }
    });
  }

  /** Decrypts under a CryptoKey. Returns `undefined` when the KMS refuses the ciphertext or its version. */
  decrypt(name: string, ciphertext: Uint8Array, aad: Uint8Array): Promise<Buffer | undefined> {
    return retryDamaged(async () => {
      const client = await this.#ready();
      try {
        const [answer] = await client.decrypt(
          {
            name,
            ciphertext,
            ciphertextCrc32c: { value: await crc32c(ciphertext) },
            additionalAuthenticatedData: aad,
            additionalAuthenticatedDataCrc32c: { value: await crc32c(aad) },
          },
          CALL,
        );
        return await verified(answer.plaintext, answer.plaintextCrc32c?.value);
      } catch (error) {
        if (isChecksumRefusal(error)) throw new ChecksumMismatch('a request to the KMS was damaged');
        if (hasStatus(error, GRPC.INVALID_ARGUMENT) || hasStatus(error, GRPC.FAILED_PRECONDITION)) return undefined;
        throw error;
      }
    });
  }

  /** Creates a CryptoKey, waits until its first version is enabled, and returns that version's name. */
  async createCryptoKey(id: string, protection: ProtectionLevel): Promise<string> {
    const client = await this.#ready();
    try {
      await client.createCryptoKey(
        {
          parent: this.#keyRing,
          cryptoKeyId: id,
          cryptoKey: {
            purpose: 'ENCRYPT_DECRYPT',
            versionTemplate: { protectionLevel: protection, algorithm: 'GOOGLE_SYMMETRIC_ENCRYPTION' },
            // The service itself gives seven days to restore a key; this is the shortest delay that the KMS allows.
            destroyScheduledDuration: { seconds: 86_400 },
          },
        },
        CALL,
      );
    } catch (error) {
      // The client retries a call whose answer was lost; ids are random, so an existing key is ours.
      if (!hasStatus(error, GRPC.ALREADY_EXISTS)) throw error;
    }
    return this.#untilEnabled(client, this.firstVersion(id));
  }

  /** Creates a version, waits until it is enabled, and returns its name. It does not become primary. */
  async createVersion(id: string): Promise<string> {
    const client = await this.#ready();
    const [{ name }] = await client.createCryptoKeyVersion({ parent: this.cryptoKey(id), cryptoKeyVersion: {} }, CALL);
    if (!name) throw new Error('the KMS made a version without a name');
    return this.#untilEnabled(client, name);
  }

  /** Schedules a version for destruction. Idempotent, also for a version that does not exist. */
  async destroyVersion(name: string): Promise<void> {
    const client = await this.#ready();
    if (await destroyed(client, name)) return;
    await this.#untilEnabled(client, name);
    if (!(await destroyed(client, name))) throw new Error('a version could not be destroyed');
  }

  /** Lists the versions of a CryptoKey that can still be destroyed; none when the CryptoKey does not exist. */
  async listVersions(id: string): Promise<MadeVersion[]> {
    const client = await this.#ready();
    try {
      const [versions] = await client.listCryptoKeyVersions(
        { parent: this.cryptoKey(id), filter: NOT_DESTROYED },
        CALL,
      );
      return versions.flatMap(({ name, createTime }) =>
        name ? { name, createdAt: makeInstant(Number(createTime?.seconds ?? 0) * 1_000_000) } : [],
      );
    } catch (error) {
      if (hasStatus(error, GRPC.NOT_FOUND)) return [];
      throw error;
    }
  }

  firstVersion(id: string): string {
    return `${this.cryptoKey(id)}/cryptoKeyVersions/1`;
  }

  cryptoKey(id: string): string {
    return `${this.#keyRing}/cryptoKeys/${id}`;
  }

  async ping(): Promise<void> {
    const client = await this.#ready();
    await withDeadline('kms', DEADLINES_MS.readiness, client.getKeyRing({ name: this.#keyRing }));
  }

  /** An HSM takes a moment to generate a version, which cannot be used until then. */
  async #untilEnabled(client: KeyManagementServiceClient, name: string): Promise<string> {
    const giveUpAt = performance.now() + DEADLINES_MS.kms;
    while (performance.now() < giveUpAt) {
      const [version] = await client.getCryptoKeyVersion({ name }, CALL);
      if (version.state === 'ENABLED') return name;
      if (version.state !== 'PENDING_GENERATION') throw new Error(`a new version is ${version.state}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new Error('a new version was not generated in time');
  }

  #ready(): Promise<KeyManagementServiceClient> {
    this.#client ??= this.#load();
    return this.#client;
  }
}

const GONE = ['DESTROY_SCHEDULED', 'DESTROYED', 'GENERATION_FAILED'];

/** Requests destruction; returns `false` when the version's state does not allow it yet. */
async function destroyed(client: KeyManagementServiceClient, name: string): Promise<boolean> {
  try {
    await client.destroyCryptoKeyVersion({ name }, CALL);
    return true;
  } catch (error) {
    if (hasStatus(error, GRPC.NOT_FOUND)) return true;
    if (!hasStatus(error, GRPC.FAILED_PRECONDITION)) throw error;
    // Another call was first, perhaps an earlier attempt of this one whose answer was lost.
    const [{ state }] = await client.getCryptoKeyVersion({ name }, CALL);
    return GONE.includes(String(state));
  }
}
