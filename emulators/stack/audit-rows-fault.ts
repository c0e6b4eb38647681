import { once } from 'node:events';
import http2, { type ClientHttp2Session, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { isIPv6 } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { portOf } from '../base/listen.ts';
import type { FaultProxy, ProxyTarget } from './faults.ts';

/** A part of every audit row's resource name in Firestore. */
const AUDIT_ROW = Buffer.from('/documents/audit/');
const COMMIT = '/google.firestore.v1.Firestore/Commit';
/** The answer PERMISSION_DENIED in gRPC. Clients do not retry after this status. */
const REFUSED = {
  ':status': 200,
  'content-type': 'application/grpc',
  'grpc-status': '7',
  'grpc-message': 'audit rows',
};

/** Makes Firestore refuse every commit that contains an audit row. */
export class AuditRowsFault {
  readonly #proxy: FaultProxy;
  readonly #firestore: ProxyTarget;
  #refusing: RefusingServer | undefined;

  /** `proxy` is a proxy that forwards to `firestore`. */
  constructor(proxy: FaultProxy, firestore: ProxyTarget) {
    this.#proxy = proxy;
    this.#firestore = firestore;
  }

  /** Sets or clears the fault. Resets open connections, so that clients reconnect. */
  async set(fault: 'down' | null): Promise<void> {
    if (fault === null) {
      this.#proxy.retarget(this.#firestore);
      await this.stop();
    } else if (this.#refusing === undefined) {
      this.#refusing = await startRefusing(this.#firestore);
      this.#proxy.retarget({ host: '127.0.0.1', port: this.#refusing.port });
    }
  }

  async stop(): Promise<void> {
    const refusing = this.#refusing;
    this.#refusing = undefined;
    await refusing?.stop();
  }
}

interface RefusingServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a server that forwards all gRPC calls to Firestore, except commits of audit rows, which it refuses. */
async function startRefusing({ host, port }: ProxyTarget): Promise<RefusingServer> {
  const firestore = http2.connect(`http://${isIPv6(host) ? `[${host}]` : host}:${port}`);
  firestore.on('error', () => undefined);
  const server = http2.createServer();
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    // A call fails if its client has gone, if Firestore has ended the connection, or if a header is not allowed.
    answer(firestore, stream, headers).catch(() => stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: portOf(server),
    async stop() {
      firestore.destroy();
      server.close();
    },
  };
}

async function answer(firestore: ClientHttp2Session, stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
  if (headers[':path'] !== COMMIT) return void stream.pipe(passOn(firestore, stream, headers));
  const commit = await buffer(stream);
  if (commit.includes(AUDIT_ROW)) stream.respond(REFUSED, { endStream: true });
  else passOn(firestore, stream, headers).end(commit);
}

function passOn(firestore: ClientHttp2Session, stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
  const call = firestore.request(headers);
  let trailers: IncomingHttpHeaders = {};
  call.on('response', (answer) => {
    if (stream.closed) return call.close(http2.constants.NGHTTP2_CANCEL);
    if (call.readableEnded) return stream.respond(answer, { endStream: true });
    stream.respond(answer, { waitForTrailers: true });
    stream.once('wantTrailers', () => stream.sendTrailers(trailers));
    call.pipe(stream);
  });
  call.on('trailers', (ended) => {
    trailers = ended;
  });
  call.on('error', () => stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR));
  stream.once('aborted', () => call.close(http2.constants.NGHTTP2_CANCEL));
  return call;
}
