import { AUDIT_OPERATIONS } from '../../../../client/src/api/generated.ts';
import { Timestamp } from '../../../../client/src/api/timestamp.ts';
import type { Query } from '../../../../client/src/index.ts';

/** The names of the filters, which are the API's parameters. */
export const FILTERS = [
  'key_id',
  'operation',
  'result',
  'since',
  'until',
  'api_key_id',
  'user_id',
  'target_id',
] as const;

/** What the filter `Operation` is set to for all changes of the tenant besides its keys. */
export const ALL_ADMINISTRATION = 'administration';

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

/**
 * A time as a person types it: RFC 3339 as it is, to the microsecond; a day, or a day and a time, in the person's own
 * zone. `undefined` where it is no time.
 */
export function readTime(text: string): string | undefined {
  const trimmed = text.trim();
  if (RFC3339.test(trimmed)) return Number.isNaN(Date.parse(trimmed)) ? undefined : trimmed;
  if (!/^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?$/.test(trimmed)) return undefined;
  // Without a time JavaScript would take the day for one of UTC.
  const time = new Date(trimmed.length === 10 ? `${trimmed}T00:00` : trimmed.replace(' ', 'T'));
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** The filters of an address as the client library takes them. Everything else in the address is left out. */
export function readFilters(query: URLSearchParams): Query<'read_audit'> {
  const time = (name: string): Date | undefined => {
    const text = readTime(query.get(name) ?? '');
    return text === undefined ? undefined : new Timestamp(text);
  };
  const since = time('since');
  const until = time('until');
  const operation = AUDIT_OPERATIONS.find((one) => one === query.get('operation'));
  const result = (['success', 'error'] as const).find((one) => one === query.get('result'));
  const ids = Object.fromEntries(
    (['key_id', 'api_key_id', 'user_id', 'target_id'] as const).flatMap((name) => {
      const id = query.get(name);
      return id === null || id === '' ? [] : [[name, id]];
    }),
  );
  return {
    ...(since && { since }),
    ...(until && { until }),
    ...(operation && { operation }),
    ...(result && { result }),
    ...ids,
  };
}
