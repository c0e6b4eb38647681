/*
 * Loaded before a function's code. Reports to the parent process the port on which the function listens. With port 0,
 * the system chooses a free port.
 */
import { subscribe } from 'node:diagnostics_channel';
import { Server } from 'node:net';
import { portOf } from '../../emulators/base/listen.ts';

subscribe('tracing:net.server.listen:asyncEnd', (message) => {
  if (!(message instanceof Object && 'server' in message && message.server instanceof Server)) return;
  process.send?.({ port: portOf(message.server) });
});
