import { describe, expect, test } from 'vitest';
import { at } from '../../emulators/stripe-harness.ts';
import { type Intercept, type October, startOctober } from './invoicing.ts';

/** What an undisturbed run leaves: every tier once, in sum the statement's total. */
const ONCE = { total: 4801, amounts: [1001, 300, 3500] };
const PAID = [{ status: 'paid', ...ONCE }];
/** Nobody pays promptly without a subscription: the invoice waits for payment. */
const OPEN = [{ status: 'open', ...ONCE }];

/** Where a run is disturbed, and whether it got that far. */
class Point {
  reached = false;
  readonly nth: number;

  constructor(nth: number) {
    this.nth = nth;
  }

  /** The run ends before its n-th request is sent. */
  readonly dieBefore: Intercept = async (nth, send) => {
    if (nth === this.nth) this.#die();
    return send();
  };

  /** The run ends when its n-th request has been carried out but not yet answered. */
  readonly dieAfter: Intercept = async (nth, send) => {
    const answer = await send();
    if (nth === this.nth) this.#die();
    return answer;
  };

  /** Something else happens before the run's n-th request is sent. */
  readonly meanwhile =
    (happen: () => Promise<void>): Intercept =>
    async (nth, send) => {
      if (nth === this.nth) {
        this.reached = true;
        await happen();
      }
      return send();
    };

  #die(): never {
    this.reached = true;
    throw new Error('the process ended');
  }
}

/** Tries every request of a run in turn, each in a new world, until the run has no such request. */
async function atEveryRequest(
  start: () => Promise<October>,
  disturb: (point: Point, october: October) => Promise<void>,
): Promise<{ nth: number; billed: ReturnType<October['billed']> }[]> {
  const outcomes = [];
  for (let nth = 1; ; nth++) {
    const [point, october] = [new Point(nth), await start()];
    await disturb(point, october);
    if (!point.reached) return outcomes;
    outcomes.push({ nth, billed: october.billed() });
  }
}

describe.each([
  ['on the draft of the new period', true, PAID],
  ['on a separate invoice, where the subscription has ended', false, OPEN],
] as const)('a month %s', (_, subscribed, expected) => {
  const start = () => startOctober(subscribed);
  const sameEverywhere = (outcomes: { nth: number }[]) => {
    expect(outcomes.length).toBeGreaterThanOrEqual(7);
    expect(outcomes).toEqual(outcomes.map(({ nth }) => ({ nth, billed: expected })));
  };

  test('is billed once, also when it is invoiced again', async () => {
    const october = await start();
    await october.invoice();
    expect(october.billed()).toEqual(expected);
    await october.invoice();
    expect(october.billed()).toEqual(expected);
  });

  test.each(['dieBefore', 'dieAfter'] as const)('is finished by the next run wherever one ended (%s)', async (end) => {
    const outcomes = await atEveryRequest(start, async (point, october) => {
      await october.invoice(point[end]).catch(() => undefined);
      await october.invoice();
    });
    sameEverywhere(outcomes);
  });

  test.each(['dieBefore', 'dieAfter'] as const)(
    'is finished two days later, when the provider has forgotten its idempotency keys (%s)',
    async (end) => {
      const outcomes = await atEveryRequest(start, async (point, october) => {
        await october.invoice(point[end]).catch(() => undefined);
        october.clock.now = at('2026-11-03T00:20:00Z');
        await october.emulator.advance();
        await october.invoice();
      });
      sameEverywhere(outcomes);
    },
  );

  test('is billed once when another run does everything while this one waits', async () => {
    const outcomes = await atEveryRequest(start, async (point, october) => {
      await october.invoice(point.meanwhile(() => october.invoice())).catch(() => undefined);
      await october.invoice();
    });
    sameEverywhere(outcomes);
  });

  test('is billed once when the hour of the draft ends while this run waits', async () => {
    const outcomes = await atEveryRequest(start, async (point, october) => {
      const hourEnds = async () => {
        october.clock.now = at('2026-11-01T01:30:00Z');
        await october.emulator.advance();
      };
      await october.invoice(point.meanwhile(hourEnds)).catch(() => undefined);
      await october.invoice();
    });
    sameEverywhere(outcomes);
  });
});

test('a month is billed once when the draft comes, and another run takes it, while this one waits', async () => {
  const start = () => startOctober(true, 'to come');
  const outcomes = await atEveryRequest(start, async (point, october) => {
    const draftComes = async () => {
      october.clock.now = at('2026-11-01T00:20:00Z');
      await october.emulator.advance();
      await october.invoice();
    };
    await october.invoice(point.meanwhile(draftComes)).catch(() => undefined);
    await october.invoice();
  });
  expect(outcomes).toEqual(outcomes.map(({ nth }) => ({ nth, billed: PAID })));
});

test('a month is not put on the draft of another period', async () => {
  const october = await startOctober(true);
  october.clock.now = at('2026-12-01T00:20:00Z');
  await october.emulator.advance();
  await october.invoice();
  const drafts = (await october.stripe.invoices.list()).data.filter(({ status }) => status === 'draft');
  expect(drafts.map(({ total }) => total)).toEqual([0]);
  expect(october.billed()).toEqual([{ status: 'paid', ...ONCE }]);
});
