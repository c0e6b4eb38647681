import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listen, portOf } from '../../emulators/base/listen.ts';

/** The host that emulators are downloaded from. */
export const HOST = 'storage.googleapis.com';

/** An imitation of the download host on this machine, which clients reach through a proxy. */
export interface FirestoreHost {
  /** The environment variables that make a client use the proxy and trust the certificate of the imitated host. */
  readonly env: NodeJS.ProcessEnv;
  /** The requests so far, as host and path. */
  readonly requested: string[];
  /** The answer to every request. */
  answer: { readonly status: number; readonly body: string | Buffer };
  stop(): void;
}

/** Starts the imitated host and the proxy, with a new self-signed certificate. */
export async function startFirestoreHost(): Promise<FirestoreHost> {
  const dir = mkdtempSync(join(tmpdir(), 'host-'));
  const { pfx, certificate } = await makeCertificate(dir);
  const server = createTlsServer({ pfx, passphrase: PASSWORD }, (request, response) => {
    host.requested.push(`${request.headers.host}${request.url}`);
    const { status, body } = host.answer;
    response.writeHead(status, { 'content-length': body.length }).end(body);
  });
  await listen(server, 0);
  const proxy = makeProxy(server);
  await listen(proxy, 0);
  const host: FirestoreHost = {
    env: { HTTPS_PROXY: `http://127.0.0.1:${portOf(proxy)}`, NODE_EXTRA_CA_CERTS: certificate },
    requested: [],
    answer: { status: 404, body: '' },
    stop() {
      server.close();
      proxy.close();
      rmSync(dir, { recursive: true });
    },
  };
  return host;
}

const PASSWORD = 'password';

/** Makes a certificate with keytool, which is part of Java. The emulator needs Java anyway. */
async function makeCertificate(dir: string): Promise<{ pfx: Buffer; certificate: string }> {
  const store = join(dir, 'host.p12');
  const certificate = join(dir, 'host.pem');
  const named = ['-keystore', store, '-storetype', 'PKCS12', '-storepass', PASSWORD, '-alias', 'host'];
  const keytool = (...more: string[]) => promisify(execFile)('keytool', [...more, ...named]);
  await keytool('-genkeypair', '-keyalg', 'EC', '-dname', `CN=${HOST}`, '-ext', `san=dns:${HOST}`);
  await keytool('-exportcert', '-rfc', '-file', certificate);
  return { pfx: readFileSync(store), certificate };
}

/** Makes a proxy that accepts only connections to the download host, and connects them to `server`. */
function makeProxy(server: TlsServer) {
  return createServer().on('connect', (request, client, head) => {
    client.on('error', () => undefined);
    if (request.url !== `${HOST}:443`) {
      client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      return;
    }
    const upstream = connect(portOf(server), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
  });
}
