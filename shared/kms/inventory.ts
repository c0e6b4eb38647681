import type { KeyManagementServiceClient, protos } from '@google-cloud/kms';
import { type Instant, makeInstant, SECOND_US } from '../base/clock.ts';
import { perMinute, Rate, type Tokens } from '../base/rate.ts';
import { Connection } from '../grpc/connection.ts';
import { GRPC, hasStatus } from '../grpc/status.ts';
import { READ_AGAIN, SERVER } from './kms.ts';

const PAGE_SIZE = 250;
/** Less than the project's quota of 300 KMS reads a minute, so that the service can also read. */
const READS_PER_MINUTE = 240;
export const KMS_READS: Tokens = {
  what: 'lists of CryptoKeys and versions that `check-store` reads',
  owner: 'process',
  limit: `${READS_PER_MINUTE} a minute`,
};
const ONE_PAGE = { autoPaginate: false };

export interface CryptoKey {
  readonly name: string;
  readonly id: string;
  readonly createdAt: Instant;
}

export interface CryptoKeyVersion {
  readonly name: string;
  readonly number: number;
  /** The name of the state in the KMS: `ENABLED`, `DISABLED`, `DESTROY_SCHEDULED`, `DESTROYED`, and more. */
  readonly state: string;
  readonly createdAt: Instant;
  /** When the version was or will be destroyed, or `null`. */
  readonly destroyAt: Instant | null;
}

/** Lists CryptoKeys and their versions. The calls are spaced, because the KMS allows few reads a minute. */
export class KmsInventory {
  readonly #server: Connection<KeyManagementServiceClient>;
  readonly #reads: Rate<'all'>;

  constructor(load: () => Promise<KeyManagementServiceClient>, readsPerMinute = READS_PER_MINUTE) {
    this.#server = new Connection(SERVER, load);
    this.#reads = new Rate(KMS_READS, perMinute(readsPerMinute));
  }

  async *cryptoKeys(keyRing: string): AsyncGenerator<CryptoKey[]> {
    for (let pageToken = ''; ; ) {
      await this.#reads.wait('', ['all']);
      const request = { parent: keyRing, pageSize: PAGE_SIZE, pageToken };
      const [keys, , answer] = await this.#server.call(READ_AGAIN, (client, options) =>
        client.listCryptoKeys(request, { ...options, ...ONE_PAGE }),
      );
      yield keys.map(({ name, createTime }) => ({ name: name ?? '', id: lastPart(name), createdAt: at(createTime) }));
      pageToken = answer.nextPageToken ?? '';
      if (pageToken === '') return;
    }
  }

  /** Returns a CryptoKey's versions in all states, oldest first, or `undefined` if the CryptoKey does not exist. */
  async versions(cryptoKey: string): Promise<CryptoKeyVersion[] | undefined> {
    const found: CryptoKeyVersion[] = [];
    try {
      for (let pageToken = ''; ; ) {
        await this.#reads.wait('', ['all']);
        const request = { parent: cryptoKey, pageSize: PAGE_SIZE, pageToken };
        const [versions, , answer] = await this.#server.call(READ_AGAIN, (client, options) =>
          client.listCryptoKeyVersions(request, { ...options, ...ONE_PAGE }),
        );
        found.push(...versions.map(viewVersion));
        pageToken = answer.nextPageToken ?? '';
        if (pageToken === '') return found.sort((one, other) => one.number - other.number);
      }
    } catch (error) {
      if (hasStatus(error, GRPC.NOT_FOUND)) return undefined;
      throw error;
    }
  }
}

/** Returns the number at the end of a CryptoKeyVersion's name. */
export function versionNumber(name: string): number {
  return Number(lastPart(name));
}

function viewVersion(version: protos.google.cloud.kms.v1.ICryptoKeyVersion): CryptoKeyVersion {
  const { name, state, createTime, destroyTime, destroyEventTime } = version;
  const destruction = destroyEventTime ?? destroyTime;
  return {
    name: name ?? '',
    number: versionNumber(name ?? ''),
    state: String(state),
    createdAt: at(createTime),
    destroyAt: destruction ? at(destruction) : null,
  };
}

function lastPart(name: string | null | undefined): string {
  return name?.split('/').at(-1) ?? '';
}

function at(time: protos.google.protobuf.ITimestamp | null | undefined): Instant {
  return makeInstant(Number(time?.seconds ?? 0) * SECOND_US + Math.floor((time?.nanos ?? 0) / 1_000));
}
