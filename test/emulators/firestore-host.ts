import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listen, portOf } from '../../emulators/base/listen.ts';

/** What emulators are fetched from. */
export const HOST = 'storage.googleapis.com';

/** That host on this machine, for a client which is led to it by the proxy and trusts the certificate. */
export interface FirestoreHost {
  /** The variables that do so. */
  readonly env: NodeJS.ProcessEnv;
  /** What was asked for: host and path. */
  readonly asked: string[];
  /** What it answers. */
  answer: { readonly status: number; readonly body: string | Buffer };
  stop(): void;
}

/** Starts it, and the proxy before it, with a new self-signed certificate. */
export async function startFirestoreHost(): Promise<FirestoreHost> {
  const dir = mkdtempSync(join(tmpdir(), 'host-'));
  const { pfx, certificate } = await makeCertificate(dir);
  const server = createTlsServer({ pfx, passphrase: PASSWORD }, (request, response) => {
    host.asked.push(`${request.headers.host}${request.url}`);
    const { status, body } = host.answer;
    response.writeHead(status, { 'content-length': body.length }).end(body);
  });
  await listen(server, 0);
  const proxy = makeProxy(server);
  await listen(proxy, 0);
  const host: FirestoreHost = {
    env: { HTTPS_PROXY: `http://127.0.0.1:${portOf(proxy)}`, NODE_EXTRA_CA_CERTS: certificate },
    asked: [],
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

/** A key pair and its certificate, with what comes with Java, which the emulator needs anyway. */
async function makeCertificate(dir: string): Promise<{ pfx: Buffer; certificate: string }> {
  const store = join(dir, 'host.p12');
  const certificate = join(dir, 'host.pem');
  const named = ['-keystore', store, '-storetype', 'PKCS12', '-storepass', PASSWORD, '-alias', 'host'];
  const keytool = (...more: string[]) => promisify(execFile)('keytool', [...more, ...named]);
  await keytool('-genkeypair', '-keyalg', 'EC', '-dname', `CN=${HOST}`, '-ext', `san=dns:${HOST}`);
  await keytool('-exportcert', '-rfc', '-file', certificate);
  return { pfx: readFileSync(store), certificate };
}

/** Leads to that host, and to no other. */
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
