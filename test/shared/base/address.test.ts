import { expect, test } from 'vitest';
import { senderNetwork } from '../../../shared/base/address.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['2001:db8:1:2::', '2001:db8:1:2::'],
  ['2001:db8:1:3::', '2001:db8:1:3::'],
  ['fe80::1%eth0', 'fe80::'],
  ['::1', '::'],
  ['unknown', 'unknown'],
  ['', ''],
])('requests from the address %s count as requests from the network %s', (address, network) => {
  expect(senderNetwork(address)).toBe(network);
});
