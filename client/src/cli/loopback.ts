import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EXIT, Failure } from './failure.ts';

const HOST = '127.0.0.1';
const ORIGIN = `http://${HOST}`;
const PATH = '/callback';
const TIMEOUT_MS = 5 * 60_000;

/** A local port to which the identity provider redirects the browser after a sign-in. */
export interface Redirect {
  readonly uri: string;
  /** Resolves to the query parameters from the browser. Rejects with a {@link Failure} after the timeout. */
  readonly called: Promise<URLSearchParams>;
  readonly close: () => void;
}

/** Listens on a free port of the loopback address (RFC 8252 §7.3) for the redirect with this `state`. */
export async function listenForRedirect(state: string): Promise<Redirect> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, HOST, resolve);
  });
  const called = new Promise<URLSearchParams>((resolve, reject) => {
    const late = new Failure(
      EXIT.local,
      'sign_in_timeout',
      'no one signed in within five minutes; run esk login again',
    );
    setTimeout(() => reject(late), TIMEOUT_MS).unref();
    server.on('request', ({ url = '/' }, response) => {
      const { pathname, searchParams } = new URL(URL.canParse(url, ORIGIN) ? url : '/', ORIGIN);
      // Any web page can send the browser to this address, so a request with another `state` does not end the sign-in.
      if (pathname !== PATH || searchParams.get('state') !== state)
        return answer(response, 400, 'esk did not start this sign-in.');
      const isDone = searchParams.has('code');
      answer(
        response,
        200,
        isDone ? 'You are signed in. You can close this page.' : 'Sign-in failed. See the terminal for details.',
      );
      resolve(searchParams);
    });
  });
  called.catch(() => undefined);
  return {
    uri: `http://${HOST}:${portOf(server.address())}${PATH}`,
    called,
    close: () => {
      server.close();
      server.closeIdleConnections();
    },
  };
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(`<!doctype html><html lang="en"><meta charset="utf-8"><title>esk</title><p>${text}</p></html>\n`);
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
