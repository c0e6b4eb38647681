import http, { type RequestListener, type Server } from 'node:http';
import type { Log, LogFields } from '../../shared/base/log.ts';
import type { EventName } from '../../shared/events.ts';
import { makeDrain } from '../../shared/http/drain.ts';
import { makeServer } from '../../shared/http/server.ts';

/**
 * Makes `listener` answer every request to the servers that functions-framework creates after this call. `beforeExit`
 * runs last when a server stops.
 */
export function takeOver(listener: RequestListener, log: Log, beforeExit: () => Promise<void>): void {
  const createServer = http.createServer.bind(http);
  http.createServer = (): Server => {
    const server = makeServer(listener, log, undefined, createServer);
    // The framework registers its handlers when the server begins to listen. Replace these handlers after that.
    server.once('listening', () => setImmediate(replaceHandlers, makeDrain(server, beforeExit), log));
    return server;
  };
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
