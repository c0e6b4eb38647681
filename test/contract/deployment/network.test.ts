import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, inject, test } from 'vitest';
import { functionPortsOf, portsOf } from '../../../emulators/stack/ports.ts';

const stack = inject('stack');
const { functions: _, ...ports } = portsOf(stack);
const ALL = [...Object.values(ports), ...functionPortsOf(portsOf(stack)).map(({ port }) => port)];

/** The machine's own addresses. On Linux, all of 127.0.0.0/8 is this machine, so one more address is always there. */
const ADDRESSES = [
  ...Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ internal, scopeid }) => !internal && !scopeid).map(({ address }) => address),
  ),
  ...(process.platform === 'linux' ? ['127.0.0.2'] : []),
];

async function accepts(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  const connected = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return connected;
}

test('every port of a running stack is closed at the machine’s addresses on the network', async () => {
  expect(await accepts('127.0.0.1', ports.service)).toBe(true);
  const open: string[] = [];
  for (const host of ADDRESSES) for (const port of ALL) if (await accepts(host, port)) open.push(`${host} ${port}`);
  expect(open).toEqual([]);
});
