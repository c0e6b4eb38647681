import { AUDIT_OPERATIONS } from '../../../../client/src/api/generated.ts';
import { Timestamp } from '../../../../client/src/api/timestamp.ts';
import type { Query } from '../../../../client/src/index.ts';

/** The filters of the audit log. Each has the name of the API's parameter. */
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

/** A value of the filter `operation`. It selects all changes to the tenant except changes to keys. */
export const ALL_ADMINISTRATION = 'administration';

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

/**
 * Parses a time that a person typed. Returns RFC 3339 text unchanged, so that its microseconds are kept. Reads a date,
 * or a date and a time, in the local time zone. Returns `undefined` for other text.
 */
export function readTime(text: string): string | undefined {
  const trimmed = text.trim();
  if (RFC3339.test(trimmed)) return Number.isNaN(Date.parse(trimmed)) ? undefined : trimmed;
  if (!/^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?$/.test(trimmed)) return undefined;
  // JavaScript reads a date without a time as UTC.
  const time = new Date(trimmed.length === 10 ? `${trimmed}T00:00` : trimmed.replace(' ', 'T'));
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const isId = (text: string): boolean => UUID.test(text);
const isTime = (text: string): boolean => readTime(text) !== undefined;

/** Whether the value of a filter can be read. */
const IS_READABLE: Readonly<Record<(typeof FILTERS)[number], (text: string) => boolean>> = {
  key_id: isId,
  operation: (text) => text === ALL_ADMINISTRATION || AUDIT_OPERATIONS.some((one) => one === text),
  result: (text) => text === 'success' || text === 'error',
  since: isTime,
  until: isTime,
  api_key_id: isId,
  user_id: isId,
  target_id: isId,
};

/** Returns the names of the filters in an address that cannot be read. An unreadable restriction is never none. */
export function unreadableFilters(query: URLSearchParams): string[] {
  return FILTERS.filter((name) => {
    const values = query.getAll(name);
    return values.length > 1 || values.some((text) => !IS_READABLE[name](text));
  });
}

/** Returns the filters from an address without unreadable ones, in the form that the client library needs. */
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
