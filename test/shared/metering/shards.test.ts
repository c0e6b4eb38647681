import { describe, expect, test } from 'vitest';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
import { Shards } from '../../../shared/metering/counter.ts';

const LENDINGS = 2_000;

function makeHarness() {
  const clock = { ms: 0 };
  const shards = new Shards(() => clock.ms);
  const tenantId = makeId<TenantId>();
  return {
    clock,
    /** Returns the number of shards among which a tenant’s commits choose. */
    async width(of = tenantId): Promise<number> {
      const chosen = new Set<number>();
      for (let time = 0; time < LENDINGS; time++) await shards.lend(of, async (shard) => chosen.add(shard));
      expect(Math.max(...chosen)).toBe(chosen.size - 1);
      return chosen.size;
    },
    commitOf: (ms: number) =>
      shards.lend(tenantId, async () => {
        clock.ms += ms;
      }),
    lend: <T>(commit: (shard: number) => Promise<T>) => shards.lend(tenantId, commit),
  };
}

describe('the shards of a count', () => {
  test('a count has eight shards, and two simultaneous commits use an even and an odd shard, so they never share a shard', async () => {
    const { width, lend } = makeHarness();
    expect(await width()).toBe(8);
    for (let time = 0; time < 100; time++) {
      await lend((one) => lend(async (other) => expect((one - other) % 2).not.toBe(0)));
    }
  });

  test('each commit that takes a second or longer doubles the tenant’s shards, up to 64', async () => {
    const { width, commitOf } = makeHarness();
    const widths: number[] = [];
    for (const ms of [999, 1_000, 1_000, 10_000, 1_000]) {
      await commitOf(ms);
      widths.push(await width());
    }
    expect(widths).toEqual([8, 16, 32, 64, 64]);
    expect(await width(makeId())).toBe(8);
  });

  test('each minute without a slow commit halves the tenant’s shards, down to eight', async () => {
    const { clock, width, commitOf } = makeHarness();
    for (let time = 0; time < 3; time++) await commitOf(1_000);
    const widths: number[] = [];
    for (let minute = 0; minute < 5; minute++) {
      widths.push(await width());
      clock.ms += 60_000;
    }
    expect(widths).toEqual([64, 32, 16, 8, 8]);
  });
});
