import type { IncomingMessage, ServerResponse } from 'node:http';

export function isFromConsole(message: IncomingMessage, consoleOrigin: string | undefined): boolean {
  return consoleOrigin !== undefined && message.headers.origin === consoleOrigin;
}

/** Allows only pages of the console to read the response (Fetch standard, CORS protocol). */
export function admitOrigin(response: ServerResponse, consoleOrigin: string): void {
  response.setHeader('access-control-allow-origin', consoleOrigin);
  response.setHeader('access-control-expose-headers', 'x-request-id, link, date');
  response.setHeader('vary', 'origin');
}

export function isPreflight(message: IncomingMessage): boolean {
  return message.method === 'OPTIONS' && message.headers['access-control-request-method'] !== undefined;
}

/** Adds the headers of a preflight answer, which browsers may cache for 600 seconds. */
export function admitPreflight(response: ServerResponse, methods: readonly string[]): void {
  response.setHeader('access-control-allow-methods', methods.join(', '));
  response.setHeader('access-control-allow-headers', 'authorization, content-type, x-request-id');
  response.setHeader('access-control-max-age', '600');
}
