import { z } from 'zod';
import type { Filters, Window } from '../../shared/audit/window.ts';
import type { Instant } from '../../shared/base/clock.ts';
import type { ApiKeyId, KeyId, UserId } from '../../shared/base/ids.ts';
import { parseInstant } from '../../shared/base/rfc3339.ts';
import { invalidQuery, type Parameters, parseIdParameter, query } from '../../shared/http/query.ts';
import { OPERATIONS } from '../../shared/operations.ts';
import { pageLimit, parseLimit } from './limit.ts';

/** What a query says of the events that it asks for, filters apart. */
export interface EventQuery extends Pick<Window, 'since' | 'until'> {
  readonly limit: number;
  /** As it was sent: what it belongs to is known to the route alone. */
  readonly cursor: string | undefined;
  /** All parameters as they were sent, for the link to the next page. */
  readonly given: Parameters;
}

const windowShape = z.object({
  since: z.iso.datetime({ offset: true }).describe('inclusive'),
  until: z.iso.datetime({ offset: true }).describe('exclusive'),
  limit: pageLimit,
  cursor: z.string().describe('from the link of a page with the same since, until and filters; limit may change'),
});

const resultSchema = z.enum(['success', 'error']);
const operationSchema = z.enum(OPERATIONS);

/** The events of a window of time. Throws `invalid_query` for a parameter that is there and not well-formed. */
export const windowQuery = query(windowShape, parseWindow);

/** {@link windowQuery} with the filters of the tenant-wide log. */
export const tenantWindowQuery = query(
  windowShape.extend({
    operation: operationSchema,
    result: resultSchema,
    key_id: z.guid(),
    api_key_id: z.guid(),
    user_id: z.guid(),
  }),
  (parameters): EventQuery & { readonly filters: Filters } => ({
    ...parseWindow(parameters),
    filters: {
      operation: parseChoice(parameters, 'operation', operationSchema),
      result: parseChoice(parameters, 'result', resultSchema),
      key_id: parseIdParameter<KeyId>(parameters, 'key_id'),
      api_key_id: parseIdParameter<ApiKeyId>(parameters, 'api_key_id'),
      user_id: parseIdParameter<UserId>(parameters, 'user_id'),
    },
  }),
);

function parseWindow(parameters: Parameters): EventQuery {
  return {
    since: parseBound(parameters, 'since'),
    until: parseBound(parameters, 'until'),
    limit: parseLimit(parameters.get('limit')),
    cursor: parameters.get('cursor'),
    given: parameters,
  };
}

function parseBound(parameters: Parameters, name: string): Instant | undefined {
  const text = parameters.get(name);
  const bound = text === undefined ? undefined : parseInstant(text);
  if (text !== undefined && bound === undefined) throw invalidQuery(`${name} is not an RFC 3339 date-time with offset`);
  return bound;
}

function parseChoice<Choice>(parameters: Parameters, name: string, schema: z.ZodType<Choice>): Choice | undefined {
  const text = parameters.get(name);
  if (text === undefined) return undefined;
  const parsed = schema.safeParse(text);
  if (!parsed.success) throw invalidQuery(`${name} is unknown`);
  return parsed.data;
}
