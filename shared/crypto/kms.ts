import type { KeyManagementServiceClient, protos } from '@google-cloud/kms';
import { type Instant, makeInstant } from '../base/clock.ts';
import { withDeadline } from '../base/deadline.ts';
import { GRPC, hasStatus } from '../base/grpc-status.ts';
import type { Trips } from '../base/trips.ts';
import { DEADLINES_MS } from '../config.ts';
import type { ProtectionLevel } from '../keys/tiers.ts';
import { crc32c } from './crc32c.ts';
import { ChecksumMismatch, isChecksumRefusal, refuseUnverified, retryDamaged, verified } from './integrity.ts';

type ICryptoKeyVersion = protos.google.cloud.kms.v1.ICryptoKeyVersion;

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
    return this.#untilEnabled(client, `${this.cryptoKey(id)}/cryptoKeyVersions/1`);
  }

  /** Makes another version of a CryptoKey, and returns its name once it can be used. It does not become primary. */
  async createVersion(id: string): Promise<string> {
    const client = await this.#ready();
    const [{ name }] = await client.createCryptoKeyVersion({ parent: this.cryptoKey(id), cryptoKeyVersion: {} }, CALL);
    if (!name) throw new Error('the KMS made a version without a name');
    return this.#untilEnabled(client, name);
  }

  /** Schedules the chosen versions of a CryptoKey for destruction; those that are already, and a CryptoKey that is not there, are fine. */
  async destroyVersions(id: string, isChosen: (version: MadeVersion) => boolean): Promise<void> {
    const client = await this.#ready();
    for (const { name, state, createTime } of await this.#versions(client, id)) {
      if (!name || isGone(state)) continue;
      const createdAt = makeInstant(Number(createTime?.seconds ?? 0) * 1_000_000);
      if (isChosen({ name, createdAt })) await this.#destroy(client, name);
    }
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

  async #destroy(client: KeyManagementServiceClient, name: string): Promise<void> {
    try {
      await client.destroyCryptoKeyVersion({ name }, CALL);
    } catch (error) {
      if (!hasStatus(error, GRPC.FAILED_PRECONDITION)) throw error;
      // Someone else was first, or the version may not be destroyed yet.
      const [{ state }] = await client.getCryptoKeyVersion({ name }, CALL);
      if (!isGone(state)) throw error;
    }
  }

  async #versions(client: KeyManagementServiceClient, id: string): Promise<ICryptoKeyVersion[]> {
    try {
      const [versions] = await client.listCryptoKeyVersions({ parent: this.cryptoKey(id) }, CALL);
      return versions;
    } catch (error) {
      if (hasStatus(error, GRPC.NOT_FOUND)) return [];
      throw error;
    }
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

function isGone(state: ICryptoKeyVersion['state']): boolean {
  return state === 'DESTROY_SCHEDULED' || state === 'DESTROYED';
}
