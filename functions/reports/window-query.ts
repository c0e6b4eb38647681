import { z } from 'zod';
import type { Filters, Window } from '../../shared/audit/window.ts';
import type { Instant } from '../../shared/base/clock.ts';
import type { ApiKeyId, Id, KeyId, UserId } from '../../shared/base/ids.ts';
import { parseInstant } from '../../shared/base/rfc3339.ts';
import { invalidQuery, type Parameters, parseIdParameter, query } from '../../shared/http/query.ts';
import { RECORDABLE } from '../../shared/operations.ts';
import { CURSOR_LENGTH } from './cursor.ts';
import { pageLimit, parseLimit } from './limit.ts';

/** The parameters of a query for events, without filters. */
export interface EventQuery extends Pick<Window, 'since' | 'until'> {
  readonly limit: number;
  /** The cursor as sent. The route parses it, because the cursor depends on the route's filters. */
  readonly cursor: string | undefined;
  /** All parameters as sent, for the link to the next page. */
  readonly given: Parameters;
}

const windowShape = z.object({
  since: z.iso.datetime({ offset: true }).describe('Start of the time range, inclusive.'),
  until: z.iso.datetime({ offset: true }).describe('End of the time range, exclusive.'),
  limit: pageLimit,
  cursor: z
    .string()
    .meta({ maxLength: CURSOR_LENGTH })
    .describe(
      'Copy it from the `Link` header of the previous page. Keep `since`, `until` and the filters the same; `limit` may differ.',
    ),
});

const resultSchema = z.enum(['success', 'error']);
const operationSchema = z.enum(RECORDABLE);

/** Reads the parameters of a query for events. Throws `invalid_query` for a malformed parameter. */
export const windowQuery = query(windowShape, parseWindow);

/** Reads the same parameters as {@link windowQuery}, and the filters of the tenant-wide log. */
export const tenantWindowQuery = query(
  windowShape.extend({
    operation: operationSchema.describe('Only events of this operation.'),
    result: resultSchema.meta({ examples: ['error'] }).describe('Only successes, or only errors.'),
    key_id: z.guid().describe('Only events of this key.'),
    api_key_id: z.guid().describe('Only requests of this API key.'),
    user_id: z.guid().describe('Only requests of this user.'),
    target_id: z.guid().describe('Only changes of this API key, container, firewall, invitation, member or tenant.'),
  }),
  (parameters): EventQuery & { readonly filters: Filters } => ({
    ...parseWindow(parameters),
    filters: {
      operation: parseChoice(parameters, 'operation', operationSchema),
      result: parseChoice(parameters, 'result', resultSchema),
      key_id: parseIdParameter<KeyId>(parameters, 'key_id'),
      api_key_id: parseIdParameter<ApiKeyId>(parameters, 'api_key_id'),
      user_id: parseIdParameter<UserId>(parameters, 'user_id'),
      target_id: parseIdParameter<Id<string>>(parameters, 'target_id'),
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
  if (text !== undefined && bound === undefined)
    throw invalidQuery(`${name} must be an RFC 3339 date-time with an offset`);
  return bound;
}

function parseChoice<Choice extends string>(
  parameters: Parameters,
  name: string,
  schema: z.ZodType<Choice> & { readonly options: readonly Choice[] },
): Choice | undefined {
  const text = parameters.get(name);
  if (text === undefined) return undefined;
  const parsed = schema.safeParse(text);
  if (!parsed.success) throw invalidQuery(`${name} must be one of ${schema.options.join(', ')}`);
  return parsed.data;
}
