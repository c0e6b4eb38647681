import { readFile } from 'node:fs/promises';
import http2 from 'node:http2';
import { createRequire } from 'node:module';
import { Server, ServerCredentials, type ServiceDefinition, status } from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import { z } from 'zod';
import { StateFile } from '../base/state-file.ts';
import { implement } from './implementation.ts';
import { kmsState } from './model.ts';
import { KmsError } from './requests.ts';
import { expireVersions, makeKms } from './resources.ts';

export interface KmsOptions {
  /** The port on 127.0.0.1. 0 picks a free port. */
  readonly port: number;
  /** The JSON file in which the keys are saved. Without a file, the keys are only in memory. */
  readonly file?: string | undefined;
  /**
   * Returns milliseconds since the epoch. This clock decides when the emulator destroys versions that are scheduled for
   * destruction.
   */
  readonly now: () => number;
  /** The project's quota of writes. By default, it is unlimited. */
  readonly writesPerMinute?: number;
}

interface RunningKms {
  readonly port: number;
  /** Waits some seconds for calls in progress, then saves the state and stops. */
  stop(): Promise<void>;
}

function bind(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, boundPort) => {
      if (error === null) resolve(boundPort);
      // gRPC reports the system's error code only in the text of the message.
      else reject(error.message.includes('EADDRINUSE') ? Object.assign(error, { code: 'EADDRINUSE' }) : error);
    });
  });
}

/** A connection can be open although its client never sends a whole call. It ends with the process. */
const DRAIN_MS = 5_000;

function shutDown(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    const force = setTimeout(resolve, DRAIN_MS);
    server.tryShutdown((error) => {
      clearTimeout(force);
      if (error === undefined) resolve();
      else reject(error);
    });
  });
}

/**
 * Starts the emulator. It serves gRPC on 127.0.0.1, without TLS or credentials. Rejects with the code `EADDRINUSE` if
 * the port is taken. Also rejects if `file` is not a valid state file.
 */
export async function startKms({ port, file, now, writesPerMinute }: KmsOptions): Promise<RunningKms> {
  const stateFile = new StateFile(file, kmsState);
  let hasChanged = false;
  const kms = makeKms(stateFile.read() ?? { keyRings: [], cryptoKeys: [] }, now, () => {
    hasChanged = true;
  });
  const save = (): void => {
    if (!hasChanged) return;
    expireVersions(kms);
    const saved = stateFile.save({ keyRings: [...kms.keyRings.values()], cryptoKeys: [...kms.cryptoKeys.values()] });
    // If the state could not be saved, the next call tries again.
    hasChanged = !saved;
  };
  const server = new Server({ 'grpc.enable_channelz': 0 });
  server.addService(await loadServiceDefinition(), implement(kms, save, makeWriteQuota(writesPerMinute)));
  const boundPort = await withWideWindows(() => bind(server, port));
  // Write the file only now, after the port is bound. If the port is taken, another emulator may be using the same
  // file.
  expireVersions(kms);
  save();
  return {
    port: boundPort,
    async stop() {
      await shutDown(server);
      save();
    },
  };
}

const SERVICE = 'google.cloud.kms.v1.KeyManagementService';

const namespace = z.custom<Parameters<typeof fromJSON>[0]>(
  (value) => typeof value === 'object' && value !== null && 'nested' in value,
);
const service = z.custom<ServiceDefinition>((value) => typeof value === 'object' && value !== null);

const loadServiceDefinition = async (): Promise<ServiceDefinition> => {
  const file = createRequire(import.meta.url).resolve('@google-cloud/kms/build/protos/protos.json');
  const protos = namespace.parse(JSON.parse(await readFile(file, 'utf8')));
  return service.parse(fromJSON(protos, { enums: String, longs: Number, defaults: true })[SERVICE]);
};

/** The size of the flow-control windows. Google's front ends use at least this size. */
const WINDOW_BYTES = 1 << 20;

/**
 * Calls `bind`, which starts a gRPC server, and makes the flow-control windows of this server large. gRPC for Node has
 * no setting for their size. With the default of 64 KiB, each message of 64 KiB would have to wait until the previous
 * message is read.
 */
async function withWideWindows<T>(bind: () => Promise<T>): Promise<T> {
  const { createServer } = http2;
  http2.createServer = (options: object = {}) => {
    const server = createServer({ ...options, settings: { initialWindowSize: WINDOW_BYTES } });
    return server.on('session', (session) => session.setLocalWindowSize(WINDOW_BYTES));
  };
  try {
    return await bind();
  } finally {
    http2.createServer = createServer;
  }
}

const MINUTE_MS = 60_000;

/**
 * Returns a function that must be called for each write. The function throws RESOURCE_EXHAUSTED after `perMinute` calls
 * in a minute, as Cloud KMS does (https://docs.cloud.google.com/kms/quotas).
 */
function makeWriteQuota(perMinute: number | undefined): () => void {
  if (perMinute === undefined) return () => undefined;
  const takenAt: number[] = [];
  return () => {
    const now = performance.now();
    while (takenAt[0] !== undefined && takenAt[0] <= now - MINUTE_MS) takenAt.shift();
    if (takenAt.length >= perMinute) {
      throw new KmsError(
        status.RESOURCE_EXHAUSTED,
        "Quota exceeded for quota metric 'Write requests' and limit 'Write requests per minute' of service 'cloudkms.googleapis.com'.",
      );
    }
    takenAt.push(now);
  };
}
