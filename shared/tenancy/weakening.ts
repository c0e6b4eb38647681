import { parseAddress } from '../base/address.ts';
import type { ApiKey } from './api-key.ts';
import type { Changed } from './changed.ts';
import { addsFederation } from './federation.ts';

type Restrictions = Pick<ApiKey, 'allowed_actions' | 'key_ids' | 'firewall_id' | 'expires_at' | 'federations'>;

interface Range {
  readonly kind: string;
  readonly first: bigint;
  readonly last: bigint;
}

/** Whether a change of networks allows addresses that were not allowed before. */
export function opensFirewall({ before, after }: Changed<readonly string[]>): boolean {
  const allowed = merge(before.map(rangeOf));
  return after.map(rangeOf).some((range) => !allowed.some((one) => contains(one, range)));
}

/**
 * Whether a change gives an API key more actions, keys, workloads or time, or removes or replaces its firewall. A changed
 * federation is a removed one and a new one.
 */
export function widensAccess({ before, after }: Changed<Restrictions>): boolean {
  const hasOtherFirewall = before.firewall_id !== null && after.firewall_id !== before.firewall_id;
  return (
    hasOtherFirewall ||
    adds(before.allowed_actions, after.allowed_actions) ||
    addsKey(before, after) ||
    addsFederation(before.federations, after.federations) ||
    lastsLonger(before, after)
  );
}

/** Whether a change adds a key. `key_ids` is `null` if the API key may use every key of the container. */
function addsKey({ key_ids: before }: Restrictions, { key_ids: after }: Restrictions): boolean {
  if (before === null) return false;
  return after === null || adds(before, after);
}

/** Whether a change lets an API key work for longer. `null` means that it does not expire. */
function lastsLonger({ expires_at: before }: Restrictions, { expires_at: after }: Restrictions): boolean {
  return before !== null && (after === null || after > before);
}

function adds(before: readonly string[], after: readonly string[]): boolean {
  return after.some((one) => !before.includes(one));
}

function contains(outer: Range, inner: Range): boolean {
  return outer.kind === inner.kind && outer.first <= inner.first && inner.last <= outer.last;
}

/** Joins ranges that overlap or adjoin, so that two halves of a network count as the whole network. */
function merge(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const range of ranges.toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
    const at = merged.findIndex(({ kind, last }) => kind === range.kind && range.first <= last + 1n);
    const found = merged[at];
    if (found === undefined) merged.push(range);
    else if (range.last > found.last) merged[at] = { ...found, last: range.last };
  }
  return merged;
}

function rangeOf(network: string): Range {
  const [base = '', length] = network.split('/');
  const address = parseAddress(base);
  if (address === undefined) throw new Error('a stored network is malformed');
  const bytes = address.toByteArray();
  const first = bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
  const hostBits = BigInt(8 * bytes.length - Number(length));
  return { kind: address.kind(), first, last: first + (1n << hostBits) - 1n };
}
