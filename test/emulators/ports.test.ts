import { expect, test } from 'vitest';
import { portsFrom, portsToHold } from '../../emulators/stack/ports.ts';
import { LEASABLE_PORTS, leasePorts } from '../../emulators/stack/separate.ts';

const features = { billing: true, console: true, wrappedRoot: true, transit: true, ownFirestore: true, deployed: true };

test('no port of one leased stack can be a port of another', () => {
  const ports = LEASABLE_PORTS.flatMap((port) => portsToHold(portsFrom(port), features).map(({ port }) => port));
  expect(new Set(ports).size).toBe(ports.length);
});

test('two leases are never for the same ports', async () => {
  const leases = await Promise.all(Array.from({ length: 12 }, leasePorts));
  expect(new Set(leases.map(({ port }) => port)).size).toBe(12);
  for (const { release } of leases) release();
});
