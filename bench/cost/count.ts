import { setTimeout as pause } from 'node:timers/promises';
import type { Server } from '../child.ts';
import type { FirestoreMeter } from '../scale/firestore-meter.ts';
import { median } from '../statistics.ts';
import type { Consumption } from './charge.ts';

/** How often an operation is counted alone, and how often each sender repeats it beside others. */
const ALONE = 9;
const ROUNDS = 20;
/** What goes on after an answer, such as noting an API key's use, is over when nothing was counted for so long. */
const QUIET_MS = 50;

/** Where an operation's consumption is counted. */
export interface Counters {
  readonly service: Pick<Server, 'read'>;
  readonly meter: FirestoreMeter;
  /** The bytes that the service has written to its standard output. */
  readonly loggedBytes: () => number;
}

/**
 * What an operation takes: alone the median of nine, beside others the mean of twenty of each sender. Throws when it made
 * a query, whose reads are not counted by the document alone.
 */
export async function countOperation(
  counters: Counters,
  operate: () => Promise<unknown>,
  sideBySide: number,
): Promise<Consumption> {
  if (sideBySide === 1) {
    const all: Consumption[] = [];
    for (let n = 0; n < ALONE; n++) all.push(await difference(counters, operate));
    const middle = (of: (one: Consumption) => number) => median(all.map(of));
    return {
      reads: middle(({ reads }) => reads),
      writes: middle(({ writes }) => writes),
      kmsCalls: middle(({ kmsCalls }) => kmsCalls),
      loggedBytes: middle(({ loggedBytes }) => loggedBytes),
    };
  }
  const repeat = async () => {
    for (let round = 0; round < ROUNDS; round++) await operate();
  };
  const all = await difference(counters, () => Promise.all(Array.from({ length: sideBySide }, repeat)));
  const operations = sideBySide * ROUNDS;
  const hundredths = (count: number) => Math.round((100 * count) / operations) / 100;
  return {
    reads: hundredths(all.reads),
    writes: hundredths(all.writes),
    kmsCalls: hundredths(all.kmsCalls),
    loggedBytes: Math.round(all.loggedBytes / operations),
  };
}

interface Counts extends Consumption {
  readonly queries: number;
}

async function difference(counters: Counters, work: () => Promise<unknown>): Promise<Consumption> {
  const before = await readQuiet(counters);
  await work();
  const after = await readQuiet(counters);
  if (after.queries !== before.queries) throw new Error('an operation made a query');
  return {
    reads: after.reads - before.reads,
    writes: after.writes - before.writes,
    kmsCalls: after.kmsCalls - before.kmsCalls,
    loggedBytes: after.loggedBytes - before.loggedBytes,
  };
}

/** The counts once they have stopped growing. */
async function readQuiet(counters: Counters): Promise<Counts> {
  for (let last = await read(counters); ; ) {
    await pause(QUIET_MS);
    const now = await read(counters);
    if (JSON.stringify(now) === JSON.stringify(last)) return now;
    last = now;
  }
}

async function read({ service, meter, loggedBytes }: Counters): Promise<Counts> {
  const { trips } = await service.read();
  const { documents, queries, writes } = meter.billed();
  return { reads: documents, writes, kmsCalls: trips.kms ?? 0, loggedBytes: loggedBytes(), queries };
}
