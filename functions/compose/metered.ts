import type { MeteredNeeds } from '../../shared/http/specs.ts';
import { GroupCommit } from '../../shared/metering/group-commit.ts';
import { Meters } from '../../shared/metering/meter.ts';
import type { Keyed } from './keyed.ts';

/** What every function has besides whose routes are metered. */
export type Metered = Keyed & MeteredNeeds;

/** Makes what counts operations. */
export function openMetered(keyed: Keyed): Metered {
  const { store, clock, metrics, standing } = keyed;
  const commits = new GroupCommit(store, metrics);
  metrics.watch({ commits: () => commits.waiting });
  return { ...keyed, commits, meters: new Meters(store, clock, standing) };
}
