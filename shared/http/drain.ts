import type { Server, ServerResponse } from 'node:http';
import { withDeadline } from '../base/deadline.ts';
import { DEADLINES_MS } from '../deadlines.ts';

/** Stop accepting connections once no request has arrived for this long: earlier ones may still wait to be accepted. */
const QUIET_MS = 500;
/** Stop accepting connections after this time at the latest. The rest of the drain is for requests in flight. */
const LINGER_MS = 3_000;

/**
 * Returns a function that stops a server: it answers requests until no more arrive, accepts no more connections,
 * finishes the requests in flight, calls `beforeExit` and then `exit`.
 */
export function makeDrain(
  server: Server,
  beforeExit: () => Promise<void>,
  exit: () => void = () => process.exit(0),
): () => void {
  // An array, because a Set can keep later responses in memory: V8 collects a dead Set in the old generation late.
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
    // If the timer is late, pending input is read only after the timer, but before an immediate.
    setTimeout(() => setImmediate(look), QUIET_MS);
  };
  return () => {
    if (draining) return;
    draining = true;
    for (const response of inFlight) closeAfter(response);
    onceQuiet(() => {
      server.close(() => void withDeadline('shutdown', DEADLINES_MS.beforeExit, beforeExit()).then(exit, exit));
      server.closeIdleConnections();
    });
    setTimeout(exit, DEADLINES_MS.drain).unref();
  };
}
