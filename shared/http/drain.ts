import type { Server, ServerResponse } from 'node:http';

/** Cloud Run kills an instance ten seconds after SIGTERM. */
const DRAIN_MS = 8_000;

/** Requests from before SIGTERM may wait on unaccepted connections. Wait until no request has arrived this long. */
const QUIET_MS = 500;
/** Under constant traffic, stop accepting connections after this time. The rest is for requests in flight. */
const LINGER_MS = 3_000;

/**
 * Stops a server: answers requests until none arrives, accepts no more connections, finishes the requests in flight
 * and exits. `beforeExit` runs last.
 */
export function makeDrain(server: Server, beforeExit: () => Promise<void>): () => void {
  // Not a Set: in V8, a dead Set in the old generation would keep later responses alive.
  const inFlight: ServerResponse[] = [];
  let draining = false;
  let arrivals = 0;
  const closeAfter = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader('connection', 'close');
  };
  server.on('connection', () => arrivals++);
  server.prependListener('request', (_message, response) => {
    arrivals++;
    if (draining) closeAfter(response);
    inFlight.push(response);
    response.once('close', () => inFlight.splice(inFlight.indexOf(response), 1));
  });
  const onceQuiet = (then: () => void, until = performance.now() + LINGER_MS) => {
    const before = arrivals;
    const look = () => (arrivals === before || performance.now() > until ? then() : onceQuiet(then, until));
    // A late timer runs before pending input is read, but an immediate runs after it.
    setTimeout(() => setImmediate(look), QUIET_MS);
  };
  return () => {
    if (draining) return;
    draining = true;
    for (const response of inFlight) closeAfter(response);
    onceQuiet(() => {
      server.close(() => beforeExit().finally(() => process.exit(0)));
      server.closeIdleConnections();
    });
    setTimeout(() => process.exit(0), DRAIN_MS).unref();
  };
}
