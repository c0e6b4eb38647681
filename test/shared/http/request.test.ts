import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../shared/config.ts';
import { clientAddress, singleHeader } from '../../../shared/http/request.ts';
import { MINIMAL } from '../environment.ts';
import { readSent } from './exchange.ts';

/** Returns the client’s address as the service reads it behind `hops` proxies from these X-Forwarded-For headers. */
function addressSeen(hops: number, forwarded?: string | string[]): Promise<string | undefined> {
  const config = readConfig({ ...MINIMAL, TRUSTED_PROXY_HOPS: String(hops) });
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return readSent({ headers }, (message) => clientAddress(message, config));
}

describe("the client's address", () => {
  test.each([
    ['no header', undefined],
    ['a forged header', '203.0.113.9'],
    ['a forged list', '203.0.113.9, 203.0.113.10'],
  ])('without proxies, the client’s address is the socket’s peer: %s', async (_, forwarded) => {
    expect(await addressSeen(0, forwarded)).toBe('127.0.0.1');
  });

  test.each([
    ['one proxy', 1, '198.51.100.7', '198.51.100.7'],
    ['one proxy, one forged entry', 1, '203.0.113.9, 198.51.100.7', '198.51.100.7'],
    ['one proxy, many forged entries', 1, '1.1.1.1, 2.2.2.2, 3.3.3.3, 198.51.100.7', '198.51.100.7'],
    ['two proxies', 2, '198.51.100.7, 10.0.0.1', '198.51.100.7'],
    ['two proxies, one forged entry', 2, '203.0.113.9, 198.51.100.7, 10.0.0.1', '198.51.100.7'],
    ['two proxies, no spaces', 2, '203.0.113.9,198.51.100.7,10.0.0.1', '198.51.100.7'],
    ['two proxies, many spaces', 2, '203.0.113.9 ,  198.51.100.7  , 10.0.0.1', '198.51.100.7'],
    ['an IPv6 address', 1, '203.0.113.9, 2001:db8::7', '2001:db8::7'],
  ])(
    'the client’s address is the X-Forwarded-For entry that the first trusted proxy added: %s',
    async (_, hops, forwarded, address) => {
      expect(await addressSeen(hops, forwarded)).toBe(address);
    },
  );

  test('repeated X-Forwarded-For headers are read in order, as one list', async () => {
    expect(await addressSeen(1, ['203.0.113.9', '198.51.100.7'])).toBe('198.51.100.7');
    expect(await addressSeen(2, ['203.0.113.9, 198.51.100.7', '10.0.0.1'])).toBe('198.51.100.7');
  });

  test.each([
    ['one proxy, no header', 1, undefined],
    ['two proxies, no header', 2, undefined],
    ['two proxies, one entry', 2, '198.51.100.7'],
    ['ten proxies, two entries', 10, '198.51.100.7, 10.0.0.1'],
  ])(
    'the client’s address is unknown if X-Forwarded-For has fewer entries than there are proxies: %s',
    async (_, hops, forwarded) => {
      expect(await addressSeen(hops, forwarded)).toBeUndefined();
    },
  );

  test('an empty X-Forwarded-For entry counts as an entry, so that no entry to its left is trusted instead', async () => {
    expect((await addressSeen(2, '203.0.113.9,,10.0.0.1')) || undefined).toBeUndefined();
  });
});

describe('a header that may occur once', () => {
  test.each([
    ['absent', undefined, undefined],
    ['once', 'a', 'a'],
    ['twice with the same value', ['a', 'a'], undefined],
    ['twice with different values', ['a', 'b'], undefined],
  ])('a header that may occur once has a value only if it occurs once: %s', async (_, sent, value) => {
    const headers = sent === undefined ? {} : { 'x-request-id': sent };
    expect(await readSent({ headers }, (message) => singleHeader(message, 'x-request-id'))).toBe(value);
  });
});
