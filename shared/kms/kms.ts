import type { KeyManagementServiceClient } from '@google-cloud/kms';
import { withDeadline } from '../base/deadline.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { GRPC, hasStatus } from '../grpc/status.ts';
import type { ProtectionLevel } from '../tiers.ts';
import { crc32c } from './crc32c.ts';
import { ChecksumMismatch, isChecksumRefusal, refuseUnverified, retryDamaged, verified } from './integrity.ts';

const NOT_DESTROYED = 'state=ENABLED OR state=PENDING_GENERATION';

const POLL_MS = 100;
const CALL = { timeout: DEADLINES_MS.kms };
/** For calls that change nothing. By default, Google's client retries them only if the KMS does not answer. */
export const READ = {
  ...CALL,
  retry: { retryCodes: [GRPC.DEADLINE_EXCEEDED, GRPC.RESOURCE_EXHAUSTED, GRPC.UNAVAILABLE] },
};

export interface Decrypted {
  readonly plaintext: Buffer;
  readonly usedPrimary: boolean;
}

/** Calls the KMS. A CRC32C mismatch, in either direction, is retried, then thrown. It never means bad ciphertext. */
export class Kms {
  readonly #load: () => Promise<KeyManagementServiceClient>;
  readonly #keyRing: string;
  #client: Promise<KeyManagementServiceClient> | undefined;

  /** Calls `load` once, at first use, because loading is slow. */
  constructor(keyRing: string, load: () => Promise<KeyManagementServiceClient>) {
    this.#keyRing = keyRing;
    this.#load = load;
  }

  /** Encrypts with a CryptoKey's primary or a named version. Returns `undefined` if the version is not enabled. */
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
          READ,
        );
        refuseUnverified(answer);
        return await verified(answer.ciphertext, answer.ciphertextCrc32c?.value);
      } catch (error) {
        if (hasStatus(error, GRPC.FAILED_PRECONDITION)) return undefined;
        throw error;
      }
    });
  }

  /** Decrypts a ciphertext. Returns `undefined` when the KMS refuses the ciphertext or its version. */
  decrypt(name: string, ciphertext: Uint8Array, aad: Uint8Array): Promise<Decrypted | undefined> {
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
          READ,
        );
        const plaintext = await verified(answer.plaintext, answer.plaintextCrc32c?.value);
        return { plaintext, usedPrimary: answer.usedPrimary === true };
      } catch (error) {
        if (isChecksumRefusal(error)) throw new ChecksumMismatch('the checksum of a KMS request does not match');
        if (hasStatus(error, GRPC.INVALID_ARGUMENT) || hasStatus(error, GRPC.FAILED_PRECONDITION)) return undefined;
        throw error;
      }
    });
  }

  /** Creates a CryptoKey. Returns the name of its first version once the version is enabled. */
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
            // The KMS allows no shorter delay. A deleted key has already waited seven days in this service.
            destroyScheduledDuration: { seconds: 86_400 },
          },
        },
        CALL,
      );
    } catch (error) {
      // The client retries if the answer is lost. Ids are random, so an existing CryptoKey is from an earlier attempt.
      if (!hasStatus(error, GRPC.ALREADY_EXISTS)) throw error;
    }
    return this.#untilEnabled(client, this.firstVersion(id));
  }

  /** Creates a version. Returns its name once it is enabled. The version does not become primary. */
  async createVersion(id: string): Promise<string> {
    const client = await this.#ready();
    const [{ name }] = await client.createCryptoKeyVersion({ parent: this.cryptoKey(id), cryptoKeyVersion: {} }, CALL);
    if (!name) throw new Error('the KMS created a key version without a name');
    return this.#untilEnabled(client, name);
  }

  /** Makes a version primary. Does nothing when the version is not enabled or does not exist. */
  async makePrimary(id: string, version: string): Promise<void> {
    const client = await this.#ready();
    const cryptoKeyVersionId = version.slice(version.lastIndexOf('/') + 1);
    try {
      await client.updateCryptoKeyPrimaryVersion({ name: this.cryptoKey(id), cryptoKeyVersionId }, CALL);
    } catch (error) {
      if (!hasStatus(error, GRPC.FAILED_PRECONDITION) && !hasStatus(error, GRPC.NOT_FOUND)) throw error;
    }
  }

  /** Schedules a version's destruction. Does nothing if it is already scheduled or the version does not exist. */
  async destroyVersion(name: string): Promise<void> {
    const client = await this.#ready();
    if (await destroyed(client, name)) return;
    await this.#untilEnabled(client, name);
    if (!(await destroyed(client, name))) throw new Error('a key version could not be destroyed');
  }

  /** Returns a CryptoKey's versions that can still be destroyed; none if the CryptoKey does not exist. */
  async listVersions(id: string): Promise<string[]> {
    const client = await this.#ready();
    try {
      const [versions] = await client.listCryptoKeyVersions(
        { parent: this.cryptoKey(id), filter: NOT_DESTROYED },
        READ,
      );
      return versions.flatMap(({ name }) => name || []);
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

  /** Waits until a new version is enabled, because an HSM needs a moment to generate it. Returns the version's name. */
  async #untilEnabled(client: KeyManagementServiceClient, name: string): Promise<string> {
    const giveUpAt = performance.now() + DEADLINES_MS.kms;
    while (performance.now() < giveUpAt) {
      const [version] = await client.getCryptoKeyVersion({ name }, READ);
      if (version.state === 'ENABLED') return name;
      if (version.state !== 'PENDING_GENERATION')
        throw new Error(`a key version has the state ${version.state} instead of ENABLED`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new Error('a key version was not generated in time');
  }

  #ready(): Promise<KeyManagementServiceClient> {
    this.#client ??= this.#load();
    return this.#client;
  }
}

const DESTROYED_STATES = ['DESTROY_SCHEDULED', 'DESTROYED', 'GENERATION_FAILED'];

/** Requests a version's destruction. Returns `false` when the version's state does not allow it yet. */
async function destroyed(client: KeyManagementServiceClient, name: string): Promise<boolean> {
  try {
    await client.destroyCryptoKeyVersion({ name }, CALL);
    return true;
  } catch (error) {
    if (hasStatus(error, GRPC.NOT_FOUND)) return true;
    if (!hasStatus(error, GRPC.FAILED_PRECONDITION)) throw error;
    // Another call, or an earlier attempt whose answer was lost, may have destroyed the version.
    const [{ state }] = await client.getCryptoKeyVersion({ name }, READ);
    return DESTROYED_STATES.includes(String(state));
  }
}
