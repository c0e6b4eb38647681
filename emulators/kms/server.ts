import { Server, ServerCredentials } from '@grpc/grpc-js';
import { implement } from './implementation.ts';
import { loadServiceDefinition } from './proto.ts';
import { expireVersions, type Kms, makeKms } from './resources.ts';
import { Saver } from './saver.ts';
import { readStateFile, writeStateFile } from './state-file.ts';
import { withWideWindows } from './windows.ts';
import { makeWriteQuota } from './write-quota.ts';

/** What the emulator is started with. */
export interface KmsOptions {
  /** On 127.0.0.1; 0 picks a free one. */
  readonly port: number;
  /** The JSON file that keeps the keys; without it they are only in memory. */
  readonly file?: string | undefined;
  /** Milliseconds since the epoch. Decides when scheduled destructions are due. */
  readonly now: () => number;
  /** The project's quota; unlimited without it. */
  readonly writesPerMinute?: number;
}

/** A running emulator. */
export interface RunningKms {
  readonly port: number;
  /** Waits for calls in progress, and saves. */
  stop(): Promise<void>;
}

function bind(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, boundPort) => {
      if (error === null) resolve(boundPort);
      // gRPC keeps the system's error code only in its message.
      else reject(error.message.includes('EADDRINUSE') ? Object.assign(error, { code: 'EADDRINUSE' }) : error);
    });
  });
}

function shutDown(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.tryShutdown((error) => (error === undefined ? resolve() : reject(error)));
  });
}

async function store(kms: Kms, file: string | undefined): Promise<void> {
  expireVersions(kms);
  if (file === undefined) return;
  await writeStateFile(file, { keyRings: [...kms.keyRings.values()], cryptoKeys: [...kms.cryptoKeys.values()] });
}

/**
 * Starts Cloud KMS on 127.0.0.1: gRPC `google.cloud.kms.v1.KeyManagementService` without TLS or credentials.
 * Rejects with the code `EADDRINUSE` when the port is taken, and when `file` does not hold a state.
 */
export async function startKms({ port, file, now, writesPerMinute }: KmsOptions): Promise<RunningKms> {
  const state = file === undefined ? { keyRings: [], cryptoKeys: [] } : await readStateFile(file);
  const saver = new Saver(() => store(kms, file));
  const kms = makeKms(state, now, () => saver.changed());
  const server = new Server({ 'grpc.enable_channelz': 0 });
  server.addService(
    await loadServiceDefinition(),
    implement(kms, () => saver.saved(), makeWriteQuota(writesPerMinute)),
  );
  const boundPort = await withWideWindows(() => bind(server, port));
  // Only now: until the port is bound the file may be another emulator's.
  if (expireVersions(kms)) saver.changed();
  await saver.saved();
  return {
    port: boundPort,
    async stop() {
      await shutDown(server);
      await saver.saved();
    },
  };
}
