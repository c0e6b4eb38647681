import { TIER } from '../../api/generated.ts';
import type { Key, UsageLine } from '../../types.ts';
import type { Examination } from '../examination.ts';
import { failedCall } from '../failed-call.ts';
import { fail, ok, type Verdict, warn } from '../finding.ts';

/** The check warns about a key that has used this share of its allowance. */
const CLOSE = 0.8;

interface Used {
  readonly key: Key;
  readonly ops: number;
  readonly limit: number;
}

export async function checkAllowance({ keys, usage }: Examination): Promise<Verdict> {
  const [all, lines] = [await keys(), await usage()];
  if ('error' in all) return failedCall('The service could not list your keys', all.error);
  if ('error' in lines) return failedCall('The service could not report the usage', lines.error);
  const used = all.value.flatMap((key) => usedBy(key, lines.value));
  const stopped = used.filter(({ key, ops, limit }) => isCapped(key) && ops >= limit);
  const close = used.filter(({ ops, limit }) => ops >= limit * CLOSE);
  if (stopped.length > 0) {
    return fail(
      `The service refuses operations until the end of the month (UTC): ${listed(stopped)}.`,
      'Wait for the next month, or use a paid key.',
    );
  }
  if (close.length > 0) {
    return warn(
      `At least ${CLOSE * 100} % of the month's operations are used: ${listed(close)}.`,
      'A free key stops at its limit. Operations of a paid key beyond the limit cost extra.',
    );
  }
  return ok(`No key has used ${CLOSE * 100} % of the month's operations.`);
}

function usedBy(key: Key, lines: readonly UsageLine[]): Used[] {
  const line = lines.find(({ key_id }) => key_id === key.id);
  return line === undefined ? [] : [{ key, ops: line.ops, limit: isCapped(key) ? line.cap : line.allowance }];
}

/**
 * Whether the service refuses a key's operations above its allowance. For keys with a fee, such operations cost extra.
 */
function isCapped({ tier }: Key): boolean {
  return TIER[tier].feeCents === 0;
}

function listed(used: readonly Used[]): string {
  return used.map(({ key, ops, limit }) => `${JSON.stringify(key.name)} ${ops} of ${limit}`).join(', ');
}
