import type { KeyManagementServiceClient } from '@google-cloud/kms';
import { type Instant, makeInstant } from '../base/clock.ts';
import { withDeadline } from '../base/deadline.ts';
import { GRPC, hasStatus } from '../base/grpc-status.ts';
import type { Trips } from '../base/trips.ts';
import { DEADLINES_MS } from '../config.ts';
import type { ProtectionLevel } from '../keys/tiers.ts';
import { crc32c } from './crc32c.ts';
import { ChecksumMismatch, isChecksumRefusal, refuseUnverified, retryDamaged, verified } from './integrity.ts';

/** Versions that there is still something to destroy of. As https://cloud.google.com/kms/docs/sorting-and-filtering has it. */
const NOT_DESTROYED = 'state=ENABLED OR state=PENDING_GENERATION';

const POLL_MS = 100;
const CALL = { timeout: DEADLINES_MS.kms };

/** A version of a CryptoKey: its resource name, and when the KMS made it, to the second. */
export interface MadeVersion {
  readonly name: string;
  readonly createdAt: Instant;
}

/**
 * The KMS, as far as the service uses it. Every payload is guarded by CRC32C both ways, as Google's guide to data
 * integrity asks: a mismatch is tried again, then fails; it is never taken for a wrong ciphertext.
 */
export class Kms {
  readonly #load: () => Promise<KeyManagementServiceClient>;
  readonly #keyRing: string;
  readonly #trips: Trips;
  #client: Promise<KeyManagementServiceClient> | undefined;

  /** `load` makes the client; it is called once, at the first use, because the client is slow to load. */
  constructor(keyRing: string, trips: Trips, load: () => Promise<KeyManagementServiceClient>) {
    this.#keyRing = keyRing;
    this.#trips = trips;
    this.#load = load;
  }

  /**
   * Encrypts under a CryptoKey's primary or under one CryptoKeyVersion, whichever `name` is. Returns `undefined` when that
   * version is not enabled any more.
   */
  encrypt(name: string, plaintext: Uint8Array, aad: Uint8Array): Promise<Buffer | undefined> {
    return retryDamaged(async () => {
      const client = await this.#ready();
      try {
        this.#trips.add('kms');
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

  /**
   * Decrypts under a CryptoKey. Returns `undefined` when the KMS refuses the value: damaged, other aad, another key's,
   * or of a version that is not enabled.
   */
  decrypt(name: string, ciphertext: Uint8Array, aad: Uint8Array): Promise<Buffer | undefined> {
    return retryDamaged(async () => {
      const client = await this.#ready();
      try {
        this.#trips.add('kms');
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

  /** Makes a CryptoKey of that id with its first version, and returns the version's name once it can be used. */
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
            // The seven days of undo are the service's; this is the shortest second net that the KMS allows.
            destroyScheduledDuration: { seconds: 86_400 },
          },
        },
        CALL,
      );
    } catch (error) {
      // The client retries a call whose answer was lost; ids are random, so a key of this id is ours.
      if (!hasStatus(error, GRPC.ALREADY_EXISTS)) throw error;
    }
    return this.#untilEnabled(client, this.firstVersion(id));
  }

  /** Makes another version of a CryptoKey, and returns its name once it can be used. It does not become primary. */
  async createVersion(id: string): Promise<string> {
    const client = await this.#ready();
    const [{ name }] = await client.createCryptoKeyVersion({ parent: this.cryptoKey(id), cryptoKeyVersion: {} }, CALL);
    if (!name) throw new Error('the KMS made a version without a name');
    return this.#untilEnabled(client, name);
  }

  /** Schedules the version of that name for destruction; one that is already, or that is not there, is fine. */
  async destroyVersion(name: string): Promise<void> {
    const client = await this.#ready();
    if (await destroyed(client, name)) return;
    // An HSM may have yet to generate it; until then it cannot be destroyed either.
    await this.#untilEnabled(client, name);
    if (!(await destroyed(client, name))) throw new Error('a version could not be destroyed');
  }

  /** The versions of a CryptoKey that are not destroyed, however many were; none where there is no such CryptoKey. */
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

  /** The resource name of the first version of the CryptoKey of that id. */
  firstVersion(id: string): string {
    return `${this.cryptoKey(id)}/cryptoKeyVersions/1`;
  }

  /** The resource name of the CryptoKey of that id. */
  cryptoKey(id: string): string {
    return `${this.#keyRing}/cryptoKeys/${id}`;
  }

  /** Throws when the KMS does not answer. */
  async ping(): Promise<void> {
    const client = await this.#ready();
    await withDeadline('kms', DEADLINES_MS.readiness, client.getKeyRing({ name: this.#keyRing }));
  }

  /** An HSM takes a moment to generate a version: until then it may not be used. */
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

/** The states of a version that there is nothing to destroy of. */
const GONE = ['DESTROY_SCHEDULED', 'DESTROYED', 'GENERATION_FAILED'];

/** Asks for the version's destruction; `false` where it is not in a state for that yet. */
async function destroyed(client: KeyManagementServiceClient, name: string): Promise<boolean> {
  try {
    await client.destroyCryptoKeyVersion({ name }, CALL);
    return true;
  } catch (error) {
    if (hasStatus(error, GRPC.NOT_FOUND)) return true;
    if (!hasStatus(error, GRPC.FAILED_PRECONDITION)) throw error;
    // Someone else was first, perhaps this very call whose answer was lost.
    const [{ state }] = await client.getCryptoKeyVersion({ name }, CALL);
    return GONE.includes(String(state));
  }
}
