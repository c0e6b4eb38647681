import type { IncomingMessage } from 'node:http';

/** Returns the URL of a request. Returns `null` if the request target is not a URL, such as `//`. Never throws. */
export function urlOf({ url = '/' }: IncomingMessage): URL | null {
  return URL.parse(url, 'http://127.0.0.1');
}
