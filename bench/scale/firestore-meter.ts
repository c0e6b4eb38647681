import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  Client,
  credentials,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import { z } from 'zod';

const SERVICE = 'google.firestore.v1.Firestore';
const UNLIMITED = { 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 } as const;

const namespace = z.custom<Parameters<typeof fromJSON>[0]>(
  (value) => typeof value === 'object' && value !== null && 'nested' in value,
);
const service = z.custom<ServiceDefinition>((value) => typeof value === 'object' && value !== null);
const queried = z.object({ document: z.unknown() });
const committed = z.object({ writes: z.array(z.unknown()) });

export interface Billed {
  /** The number of documents that were read by name (including missing documents) or returned by queries. */
  readonly documents: number;
  readonly queries: number;
  /** The number of documents that were written or deleted. */
  readonly writes: number;
}

/** A gRPC proxy for Firestore that counts what Firestore bills. */
export interface FirestoreMeter {
  /** The proxy's address, as host:port. */
  readonly address: string;
  billed(): Billed;
  stop(): void;
}

/** Starts the proxy on a free port of 127.0.0.1. `firestore` is the host:port to which it forwards. */
export async function startFirestoreMeter(firestore: string): Promise<FirestoreMeter> {
  const counts = { documents: 0, queries: 0, writes: 0 };
  const methods = await loadMethods();
  const upstream = new Client(firestore, credentials.createInsecure(), UNLIMITED);
  const server = new Server(UNLIMITED);
  const implementation = Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      (caller: ServerDuplexStream<Buffer, Buffer>) => {
        if (name === 'RunQuery') counts.queries++;
        const call = upstream.makeBidiStreamRequest(method.path, same, same, caller.metadata);
        caller.on('data', (bytes: Buffer) => {
          if (name === 'Commit') counts.writes += committed.parse(method.requestDeserialize(bytes)).writes.length;
          call.write(bytes);
        });
        caller.on('end', () => call.end());
        caller.on('cancelled', () => call.cancel());
        call.on('data', (bytes: Buffer) => {
          if (name === 'BatchGetDocuments') counts.documents++;
          if (name === 'RunQuery' && queried.parse(method.responseDeserialize(bytes)).document) counts.documents++;
          caller.write(bytes);
        });
        call.on('error', () => undefined);
        call.on('status', (status) => (status.code === 0 ? caller.end(status.metadata) : caller.emit('error', status)));
      },
    ]),
  );
  server.addService(asStreams(methods), implementation);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  return {
    address: `127.0.0.1:${port}`,
    billed: () => ({ ...counts }),
    stop() {
      server.forceShutdown();
      upstream.close();
    },
  };
}

async function loadMethods(): Promise<ServiceDefinition> {
  // The package exports no path except its package.json, so the path of the file is built from there.
  const described = createRequire(import.meta.url).resolve('@google-cloud/firestore/package.json');
  const file = join(dirname(described), 'build/protos/v1.json');
  const protos = namespace.parse(JSON.parse(await readFile(file, 'utf8')));
  return service.parse(fromJSON(protos, { defaults: true })[SERVICE]);
}

/**
 * Declares every method as a bidirectional stream of raw messages. This works for unary calls, which look like a stream
 * of one message on the wire.
 */
function asStreams(methods: ServiceDefinition): ServiceDefinition {
  const untouched = {
    requestStream: true,
    responseStream: true,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  };
  return Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, { ...method, ...untouched }]));
}

function same(bytes: Buffer): Buffer {
  return bytes;
}
