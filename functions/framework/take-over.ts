import http, { type RequestListener, type Server } from 'node:http';
import type { Log, LogFields } from '../../shared/base/log.ts';
import type { EventName } from '../../shared/events.ts';
import type { Dialect } from '../../shared/http/dialect.ts';
import { makeDrain } from '../../shared/http/drain.ts';
import { makeServer } from '../../shared/http/server.ts';

/**
 * Makes `listener` answer every request to the servers that functions-framework creates after this call. `beforeExit`
 * runs last when a server stops. With `address`, the servers listen only there. `dialects` are those of the routes.
 */
export function takeOver(
  listener: RequestListener,
  log: Log,
  beforeExit: () => Promise<void>,
  { address, dialects }: { readonly address: string | undefined; readonly dialects: readonly Dialect[] },
): void {
  const createServer = http.createServer.bind(http);
  http.createServer = (): Server => {
    const server = makeServer(listener, log, { dialects, createServer });
    if (address !== undefined) listenOnlyAt(address, server);
    // The framework registers its handlers when the server begins to listen. Replace these handlers after that.
    server.once('listening', () => setImmediate(replaceHandlers, makeDrain(server, beforeExit), log));
    return server;
  };
}

/** Adds the address to the framework's call `listen(port, listener)`: the framework itself has no setting for it. */
function listenOnlyAt(host: string, server: Server): void {
  server.listen = new Proxy(server.listen, {
    apply: (listen, self, [port, ...more]) => Reflect.apply(listen, self, [{ port, host }, ...more]),
  });
}

function replaceHandlers(drain: () => void, log: Log): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, drain);
  }
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    process.removeAllListeners(event);
    process.on(event, (error: unknown) => endProcess(log, 'process exited: unhandled error', {}, error));
  }
}

/** Logs the error and ends the process. */
export function endProcess(log: Log, event: EventName, fields: LogFields, error: unknown): never {
  log.write(event, fields, error);
  process.removeAllListeners('exit');
  process.exit(1);
}
