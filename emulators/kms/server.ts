import { Server, ServerCredentials } from '@grpc/grpc-js';
import { implement } from './implementation.ts';
import { loadServiceDefinition } from './proto.ts';
import { expireVersions, type Kms, makeKms } from './resources.ts';
import { makeSaver } from './saver.ts';
import { readStateFile, writeStateFile } from './state-file.ts';
import { withWideWindows } from './windows.ts';
import { makeWriteQuota } from './write-quota.ts';

export interface KmsOptions {
  /** 0: any free one. */
  port: number;
  /** Where keys are kept, as JSON; without it they last as long as the process. */
  file?: string | undefined;
  /** Milliseconds since the epoch. Decides when scheduled destructions are due. */
  now: () => number;
  /** The project's quota; without it there is none. */
  writesPerMinute?: number;
}

/** A running emulator. `stop` lets calls in progress finish. */
export interface RunningKms {
  port: number;
  stop(): Promise<void>;
}

const bind = (server: Server, port: number) =>
  new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, boundPort) => {
      if (error === null) resolve(boundPort);
      // gRPC keeps the system's error code in its message alone.
      else reject(error.message.includes('EADDRINUSE') ? Object.assign(error, { code: 'EADDRINUSE' }) : error);
    });
  });

const shutDown = (server: Server) =>
  new Promise<void>((resolve, reject) => {
    server.tryShutdown((error) => (error === undefined ? resolve() : reject(error)));
  });

const store = async (kms: Kms, file: string | undefined) => {
  expireVersions(kms);
  if (file === undefined) return;
  await writeStateFile(file, { keyRings: [...kms.keyRings.values()], cryptoKeys: [...kms.cryptoKeys.values()] });
};

/**
 * Cloud KMS on 127.0.0.1: gRPC `google.cloud.kms.v1.KeyManagementService` without TLS or credentials.
 * Throws an Error with `code` 'EADDRINUSE' for a port in use, and when `file` does not hold its state.
 */
export const startKms = async ({ port, file, now, writesPerMinute }: KmsOptions): Promise<RunningKms> => {
  const state = file === undefined ? { keyRings: [], cryptoKeys: [] } : await readStateFile(file);
  const saver = makeSaver(() => store(kms, file));
  const kms = makeKms(state, now, saver.changed);
  const server = new Server({ 'grpc.enable_channelz': 0 });
  server.addService(await loadServiceDefinition(), implement(kms, saver.saved, makeWriteQuota(writesPerMinute)));
  const boundPort = await withWideWindows(() => bind(server, port));
  // Only now: until the port is ours the file may be another emulator's.
  if (expireVersions(kms)) saver.changed();
  await saver.saved();
  return {
    port: boundPort,
    stop: async () => {
      await shutDown(server);
      await saver.saved();
    },
  };
};
