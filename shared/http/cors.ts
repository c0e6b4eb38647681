import type { IncomingMessage, ServerResponse } from 'node:http';

/** Whether the request comes from the console's page in a browser. */
export function isFromConsole(message: IncomingMessage, consoleOrigin: string | undefined): boolean {
  return consoleOrigin !== undefined && message.headers.origin === consoleOrigin;
}

/** Lets the console's page, and no other origin, read the response (Fetch standard, CORS protocol). */
export function admitOrigin(response: ServerResponse, consoleOrigin: string): void {
  response.setHeader('access-control-allow-origin', consoleOrigin);
  response.setHeader('access-control-expose-headers', 'x-request-id, link');
  response.setHeader('vary', 'origin');
}

/** Whether the request asks, before the real one, if it would be admitted. */
export function isPreflight(message: IncomingMessage): boolean {
  return message.method === 'OPTIONS' && message.headers['access-control-request-method'] !== undefined;
}

/** Answers a preflight for a path with these methods. */
export function admitPreflight(response: ServerResponse, methods: readonly string[]): void {
  response.setHeader('access-control-allow-methods', methods.join(', '));
  response.setHeader('access-control-allow-headers', 'authorization, content-type, x-request-id');
  response.setHeader('access-control-max-age', '600');
}
