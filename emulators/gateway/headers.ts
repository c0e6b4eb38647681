import type { IncomingMessage } from 'node:http';
import { LocalReply } from './local-reply.ts';

/** Headers that belong to a single connection (RFC 9110 section 7.6.1). The gateway drops them. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'upgrade'];
/** Headers of the caller that the gateway replaces or handles itself. */
const REWRITTEN = ['host', 'expect', 'authorization', 'x-forwarded-for', 'x-forwarded-proto'];

export interface Destination {
  readonly host: string;
  readonly idToken: string;
}

type Header = readonly [name: string, value: string];

/**
 * Returns the headers for the request to the function, with names and values in turn. `X-Forwarded-Authorization`
 * contains the caller's credential. Throws a {@link LocalReply} of 400 if the name of a header contains an underscore.
 * Source: esp-v2, src/envoy/http/backend_auth/filter.cc and src/go/options/configgenerator.go
 */
export function requestHeaders(message: IncomingMessage, to: Destination): string[] {
  const { headersDistinct, socket } = message;
  const received = pairs(message.rawHeaders);
  if (received.some(([name]) => name.includes('_'))) throw new LocalReply(400, 'Bad Request');
  const credentials = headersDistinct.authorization;
  const dropped = [...HOP_BY_HOP, ...REWRITTEN, ...(credentials === undefined ? [] : ['x-forwarded-authorization'])];
  const addresses = [...(headersDistinct['x-forwarded-for'] ?? []), socket.remoteAddress ?? ''];
  const headers: Header[] = [
    ['Host', to.host],
    ...received.filter(([name]) => !dropped.includes(name.toLowerCase())),
    ['Authorization', `Bearer ${to.idToken}`],
    ...(credentials === undefined ? [] : [['X-Forwarded-Authorization', credentials.join(',')] as const]),
    ['X-Forwarded-For', addresses.join(',')],
    ['X-Forwarded-Proto', 'http'],
    // Without this header, Node would send a chunked body.
    ...(hasBody(message) ? [] : [['Content-Length', '0'] as const]),
  ];
  return headers.flat();
}

/** Returns the headers for the answer to the caller, with names and values in turn. */
export function responseHeaders(message: IncomingMessage): string[] {
  const dropped = [...HOP_BY_HOP, 'transfer-encoding'];
  return pairs(message.rawHeaders)
    .filter(([name]) => !dropped.includes(name.toLowerCase()))
    .flat();
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function pairs(raw: readonly string[]): Header[] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []));
}
