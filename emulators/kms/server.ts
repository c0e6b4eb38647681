import { Server, ServerCredentials } from '@grpc/grpc-js';
import { reportUnsaved } from '../base/report-unsaved.ts';
import { implement } from './implementation.ts';
import { loadServiceDefinition } from './proto.ts';
import { expireVersions, type Kms, makeKms } from './resources.ts';
import { Saver } from './saver.ts';
import { readStateFile, writeStateFile } from './state-file.ts';
import { withWideWindows } from './windows.ts';
import { makeWriteQuota } from './write-quota.ts';

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

export interface RunningKms {
  readonly port: number;
  /** Waits for calls in progress, then saves the state and stops. */
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
 * Starts the emulator. It serves gRPC on 127.0.0.1, without TLS or credentials. Rejects with the code `EADDRINUSE` if
 * the port is taken. Also rejects if `file` is not a valid state file.
 */
export async function startKms({ port, file, now, writesPerMinute }: KmsOptions): Promise<RunningKms> {
  const state = file === undefined ? { keyRings: [], cryptoKeys: [] } : await readStateFile(file);
  const saver = new Saver(
    () => store(kms, file),
    (error) => reportUnsaved(file ?? '', error),
  );
  const kms = makeKms(state, now, () => saver.changed());
  const server = new Server({ 'grpc.enable_channelz': 0 });
  server.addService(
    await loadServiceDefinition(),
    implement(kms, () => saver.saved(), makeWriteQuota(writesPerMinute)),
  );
  const boundPort = await withWideWindows(() => bind(server, port));
  // Write the file only now, after the port is bound. If the port is taken, another emulator may be using the same
  // file.
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
