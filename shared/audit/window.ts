import { z } from 'zod';
import type { Instant } from '../base/clock.ts';
import { parseInstant } from '../base/rfc3339.ts';
import { invalidQuery, type Parameters, query } from '../http/query.ts';
import { OPERATIONS, type Operation } from './event.ts';

const DEFAULT_LIMIT = 100;
const MOST = 1000;

/** Which events are asked for: a half-open window of time, and how many at the most. */
export interface Window {
  readonly since: Instant | undefined;
  readonly until: Instant | undefined;
  readonly limit: number;
}

/** {@link Window}, and which of a tenant's events in it. */
export interface TenantWindow extends Window {
  readonly operation: Operation | undefined;
  readonly result: 'success' | 'error' | undefined;
}

const windowShape = z.object({
  since: z.iso.datetime({ offset: true }).describe('inclusive'),
  until: z.iso.datetime({ offset: true }).describe('exclusive'),
  limit: z.int().min(1).max(MOST).default(DEFAULT_LIMIT),
});

const resultSchema = z.enum(['success', 'error']);
const operationSchema = z.enum(OPERATIONS);

/** The window that a query asks for. Throws `invalid_query` for a parameter that is there and not well-formed. */
export const windowQuery = query(windowShape, parseWindow);

/** {@link windowQuery} with the filters of the tenant-wide log. */
export const tenantWindowQuery = query(
  windowShape.extend({ operation: operationSchema, result: resultSchema }),
  (parameters): TenantWindow => ({
    ...parseWindow(parameters),
    operation: parseChoice(parameters, 'operation', operationSchema),
    result: parseChoice(parameters, 'result', resultSchema),
  }),
);

function parseWindow(parameters: Parameters): Window {
  return {
    since: parseBound(parameters, 'since'),
    until: parseBound(parameters, 'until'),
    limit: parseLimit(parameters.get('limit')),
  };
}

function parseBound(parameters: Parameters, name: string): Instant | undefined {
  const text = parameters.get(name);
  const bound = text === undefined ? undefined : parseInstant(text);
  if (text !== undefined && bound === undefined) throw invalidQuery(`${name} is not an RFC 3339 date-time with offset`);
  return bound;
}

function parseLimit(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MOST) throw invalidQuery(`limit is not a whole number from 1 to ${MOST}`);
  return limit;
}

function parseChoice<Choice>(parameters: Parameters, name: string, schema: z.ZodType<Choice>): Choice | undefined {
  const text = parameters.get(name);
  if (text === undefined) return undefined;
  const parsed = schema.safeParse(text);
  if (!parsed.success) throw invalidQuery(`${name} is unknown`);
  return parsed.data;
}
