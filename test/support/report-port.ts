/*
 * Loaded into a function before its own code: tells the process that started it which port it listens on. Started with
 * port 0 it has one that nobody else can have taken.
 */
import { subscribe } from 'node:diagnostics_channel';
import { Server } from 'node:net';
import { portOf } from '../../emulators/base/listen.ts';

subscribe('tracing:net.server.listen:asyncEnd', (message) => {
  if (!(message instanceof Object && 'server' in message && message.server instanceof Server)) return;
  process.send?.({ port: portOf(message.server) });
});
