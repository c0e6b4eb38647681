import { describe, expect, test } from 'vitest';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
import { Shards } from '../../../shared/metering/counter.ts';

const COMMITS = 2_000;

function makeHarness() {
  const clock = { ms: 0 };
  const shards = new Shards(() => clock.ms);
  const tenantId = makeId<TenantId>();
  return {
    clock,
    /** Returns the number of shards that the tenant’s commits use. */
    async countShards(of = tenantId): Promise<number> {
      const chosen = new Set<number>();
      for (let time = 0; time < COMMITS; time++) await shards.lend(of, async (shard) => chosen.add(shard));
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
    const { countShards, lend } = makeHarness();
    expect(await countShards()).toBe(8);
    for (let time = 0; time < 100; time++) {
      await lend((one) => lend(async (other) => expect((one - other) % 2).not.toBe(0)));
    }
  });

  test('each commit that takes a second or longer doubles the tenant’s shards, up to 64', async () => {
    const { countShards, commitOf } = makeHarness();
    const counts: number[] = [];
    for (const ms of [999, 1_000, 1_000, 10_000, 1_000]) {
      await commitOf(ms);
      counts.push(await countShards());
    }
    expect(counts).toEqual([8, 16, 32, 64, 64]);
    expect(await countShards(makeId())).toBe(8);
  });

  test('each minute without a slow commit halves the tenant’s shards, down to eight', async () => {
    const { clock, countShards, commitOf } = makeHarness();
    for (let time = 0; time < 3; time++) await commitOf(1_000);
    const counts: number[] = [];
    for (let minute = 0; minute < 5; minute++) {
      counts.push(await countShards());
      clock.ms += 60_000;
    }
    expect(counts).toEqual([64, 32, 16, 8, 8]);
  });
});
