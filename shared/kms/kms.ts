import type { KeyManagementServiceClient } from '@google-cloud/kms';
import { DEADLINES_MS } from '../deadlines.ts';
import { Connection } from '../grpc/connection.ts';
import { GRPC, hasStatus } from '../grpc/status.ts';
import type { ProtectionLevel } from '../tiers.ts';
import { crc32c } from './crc32c.ts';
import { ChecksumMismatch, isChecksumRefusal, refuseUnverified, retryDamaged, verified } from './integrity.ts';

/** The states of a version that has no key material or will lose it. Such a version cannot be destroyed. */
export const ENDED = ['DESTROY_SCHEDULED', 'DESTROYED', 'GENERATION_FAILED', 'IMPORT_FAILED'];
const NOT_DESTROYED = 'state=ENABLED OR state=PENDING_GENERATION';

const POLL_MS = 100;
export const SERVER = { what: 'kms', deadlineMs: DEADLINES_MS.kms } as const;
/** The statuses after which a call is repeated that has the same result if the KMS gets it twice. */
const UNANSWERED = [GRPC.DEADLINE_EXCEEDED, GRPC.UNAVAILABLE];
/** The statuses after which a call is repeated that changes nothing. */
export const READ_AGAIN = [...UNANSWERED, GRPC.RESOURCE_EXHAUSTED];

export interface Decrypted {
  readonly plaintext: Buffer;
  readonly usedPrimary: boolean;
}

/** Calls the KMS. A CRC32C mismatch, in either direction, is retried, then thrown. It never means bad ciphertext. */
export class Kms {
  readonly #keyRing: string;
  readonly #server: Connection<KeyManagementServiceClient>;

  constructor(keyRing: string, load: () => Promise<KeyManagementServiceClient>) {
    this.#keyRing = keyRing;
    this.#server = new Connection(SERVER, load);
  }

  /** Encrypts with a CryptoKey's primary or a named version. Returns `undefined` if the version is not enabled. */
  encrypt(name: string, plaintext: Uint8Array, aad: Uint8Array): Promise<Buffer | undefined> {
    return retryDamaged(async () => {
      const request = {
        name,
        plaintext,
        plaintextCrc32c: { value: await crc32c(plaintext) },
        additionalAuthenticatedData: aad,
        additionalAuthenticatedDataCrc32c: { value: await crc32c(aad) },
      };
      try {
        const [answer] = await this.#server.call(READ_AGAIN, (client, options) => client.encrypt(request, options));
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
      const request = {
        name,
        ciphertext,
        ciphertextCrc32c: { value: await crc32c(ciphertext) },
        additionalAuthenticatedData: aad,
        additionalAuthenticatedDataCrc32c: { value: await crc32c(aad) },
      };
      try {
        const [answer] = await this.#server.call(READ_AGAIN, (client, options) => client.decrypt(request, options));
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
    const request = {
      parent: this.#keyRing,
      cryptoKeyId: id,
      cryptoKey: {
        purpose: 'ENCRYPT_DECRYPT',
        versionTemplate: { protectionLevel: protection, algorithm: 'GOOGLE_SYMMETRIC_ENCRYPTION' },
        // The KMS allows no shorter delay. A deleted key has already waited seven days in this service.
        destroyScheduledDuration: { seconds: 86_400 },
      },
    } as const;
    try {
      await this.#server.call(UNANSWERED, (client, options) => client.createCryptoKey(request, options));
    } catch (error) {
      // The call is repeated if the answer is lost. Ids are random, so an existing CryptoKey is from an earlier attempt.
      if (!hasStatus(error, GRPC.ALREADY_EXISTS)) throw error;
    }
    return this.#untilEnabled(this.firstVersion(id));
  }

  /** Creates a version. Returns its name once it is enabled. The version does not become primary. */
  async createVersion(id: string): Promise<string> {
    const request = { parent: this.cryptoKey(id), cryptoKeyVersion: {} };
    const [{ name }] = await this.#server.call([], (client, options) =>
      client.createCryptoKeyVersion(request, options),
    );
    if (!name) throw new Error('the KMS created a key version without a name');
    return this.#untilEnabled(name);
  }

  /** Makes a version primary. Does nothing when the version is not enabled or does not exist. */
  async makePrimary(id: string, version: string): Promise<void> {
    const request = { name: this.cryptoKey(id), cryptoKeyVersionId: version.slice(version.lastIndexOf('/') + 1) };
    try {
      await this.#server.call(UNANSWERED, (client, options) => client.updateCryptoKeyPrimaryVersion(request, options));
    } catch (error) {
      if (!hasStatus(error, GRPC.FAILED_PRECONDITION) && !hasStatus(error, GRPC.NOT_FOUND)) throw error;
    }
  }

  /** Schedules a version's destruction. Does nothing if it is already scheduled or the version does not exist. */
  async destroyVersion(name: string): Promise<void> {
    if (await this.#destroyed(name)) return;
    await this.#untilEnabled(name);
    if (!(await this.#destroyed(name))) throw new Error('a key version could not be destroyed');
  }

  /** Returns a CryptoKey's versions that can still be destroyed; none if the CryptoKey does not exist. */
  async listVersions(id: string): Promise<string[]> {
    const request = { parent: this.cryptoKey(id), filter: NOT_DESTROYED };
    try {
      const [versions] = await this.#server.call(READ_AGAIN, (client, options) =>
        client.listCryptoKeyVersions(request, options),
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
    const endsAt = performance.now() + DEADLINES_MS.readiness;
    const request = { name: this.#keyRing };
    await this.#server.call(READ_AGAIN, (client, options) => client.getKeyRing(request, options), endsAt);
  }

  /** Waits until a new version is enabled, because an HSM needs a moment to generate it. Returns the version's name. */
  async #untilEnabled(name: string): Promise<string> {
    const giveUpAt = performance.now() + DEADLINES_MS.kms;
    while (performance.now() < giveUpAt) {
      const state = await this.#stateOf(name);
      if (state === 'ENABLED') return name;
      if (state !== 'PENDING_GENERATION') throw new Error(`a key version has the state ${state} instead of ENABLED`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new Error('a key version was not generated in time');
  }

  async #stateOf(name: string): Promise<string> {
    const [{ state }] = await this.#server.call(READ_AGAIN, (client, options) =>
      client.getCryptoKeyVersion({ name }, options),
    );
    return String(state);
  }

  /** Requests a version's destruction. Returns `false` when the version's state does not allow it yet. */
  async #destroyed(name: string): Promise<boolean> {
    try {
      await this.#server.call(UNANSWERED, (client, options) => client.destroyCryptoKeyVersion({ name }, options));
      return true;
    } catch (error) {
      if (hasStatus(error, GRPC.NOT_FOUND)) return true;
      if (!hasStatus(error, GRPC.FAILED_PRECONDITION)) throw error;
      // Another call, or an earlier attempt whose answer was lost, may have destroyed the version.
      return ENDED.includes(await this.#stateOf(name));
    }
  }
}
