import { expect, test } from 'vitest';
import { type InFlight, InFlightQuotas } from '../../../shared/auth/in-flight.ts';

const refusal = (who: string) =>
  expect.objectContaining({ code: 'unavailable', message: `too many requests in progress for this ${who}` });

/** Begins `count` requests that count against the quota of `id`. */
function begin(quotas: InFlightQuotas, count: number, who: 'api key' | 'user' | 'tenant', id: string): InFlight[] {
  return Array.from({ length: count }, () => {
    const inFlight = quotas.begin();
    inFlight.takeFor(who, id);
    return inFlight;
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
] as const)(
  'each %s may have %i requests in flight, no matter how many requests others have in flight',
  (who, limit) => {
    const quotas = new InFlightQuotas();
    const [first] = begin(quotas, limit, who, 'busy');
    expect(thrownBy(() => quotas.begin().takeFor(who, 'busy'))).toEqual(refusal(who));
    expect(thrownBy(() => quotas.begin().takeFor(who, 'another'))).toBeUndefined();
    first?.[Symbol.dispose]();
    begin(quotas, 1, who, 'busy');
    expect(thrownBy(() => quotas.begin().takeFor(who, 'busy'))).toEqual(refusal(who));
  },
);

test('a request counts once against the quota of its sender, even if it is attributed to the sender repeatedly', () => {
  const quotas = new InFlightQuotas();
  const inFlight = quotas.begin();
  expect(inFlight.isOf('me')).toBe(false);
  for (let times = 0; times < 300; times++) inFlight.takeFor('api key', 'me');
  expect(inFlight.isOf('me')).toBe(true);
  begin(quotas, 255, 'api key', 'me');
  inFlight[Symbol.dispose]();
  begin(quotas, 1, 'api key', 'me');
  expect(thrownBy(() => begin(quotas, 1, 'api key', 'me'))).toEqual(refusal('api key'));
});

test('a request that is refused because of its tenant’s quota frees its slot in the API key’s quota', () => {
  const quotas = new InFlightQuotas();
  begin(quotas, 384, 'tenant', 'busy');
  for (let times = 0; times < 300; times++) {
    using inFlight = quotas.begin();
    inFlight.takeFor('api key', 'one');
    expect(thrownBy(() => inFlight.takeFor('tenant', 'busy'))).toEqual(refusal('tenant'));
  }
});
