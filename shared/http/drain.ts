import type { Server, ServerResponse } from 'node:http';

/** Cloud Run kills an instance ten seconds after it has asked it to stop. */
const DRAIN_MS = 8_000;

/** What was sent before the signal may be on a connection that was not taken yet: for so long nothing must have come. */
const QUIET_MS = 500;
/** Where something comes all the time, it is turned away after so long: what is in flight by then needs the rest. */
const LINGER_MS = 3_000;

/**
 * Returns what stops a server: it answers what was sent before, until nothing more arrives; then it accepts no new connection,
 * lets the requests in flight finish, each the last on its connection, and exits. `beforeExit` runs last.
 */
export function makeDrain(server: Server, beforeExit: () => Promise<void>): () => void {
  // Not a Set: V8 links its tables from old to new, so that a dead one that has grown old keeps all responses after it.
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
    // Timers that are late come before what has arrived meanwhile, immediates after it.
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
