import { expect, test } from 'vitest';
import { type Share, Shares } from '../../../shared/auth/shares.ts';

const refusal = (who: string) =>
  expect.objectContaining({ code: 'unavailable', message: `too many requests of this ${who} in flight` });

/** So many requests, begun and counted as `id`'s. */
function begin(shares: Shares, count: number, who: 'api key' | 'user' | 'tenant', id: string): Share[] {
  return Array.from({ length: count }, () => {
    const share = shares.begin();
    share.takeFor(who, id);
    return share;
  });
}

function thrownBy(act: () => void): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}

test.each([
  ['api key', 256],
  ['user', 256],
  ['tenant', 384],
] as const)('%s: %i requests in flight, and not one more, whoever else has how many', (who, most) => {
  const shares = new Shares();
  const [first] = begin(shares, most, who, 'busy');
  expect(thrownBy(() => shares.begin().takeFor(who, 'busy'))).toEqual(refusal(who));
  expect(thrownBy(() => shares.begin().takeFor(who, 'another'))).toBeUndefined();
  first?.[Symbol.dispose]();
  begin(shares, 1, who, 'busy');
  expect(thrownBy(() => shares.begin().takeFor(who, 'busy'))).toEqual(refusal(who));
});

test('a request counts once as its sender’s, however often it is found to be theirs', () => {
  const shares = new Shares();
  const share = shares.begin();
  expect(share.isOf('me')).toBe(false);
  for (let times = 0; times < 300; times++) share.takeFor('api key', 'me');
  expect(share.isOf('me')).toBe(true);
  begin(shares, 255, 'api key', 'me');
  share[Symbol.dispose]();
  begin(shares, 1, 'api key', 'me');
  expect(thrownBy(() => begin(shares, 1, 'api key', 'me'))).toEqual(refusal('api key'));
});

test('a request that was refused for its tenant gives back what it had as its API key’s', () => {
  const shares = new Shares();
  begin(shares, 384, 'tenant', 'busy');
  for (let times = 0; times < 300; times++) {
    using share = shares.begin();
    share.takeFor('api key', 'one');
    expect(thrownBy(() => share.takeFor('tenant', 'busy'))).toEqual(refusal('tenant'));
  }
});
