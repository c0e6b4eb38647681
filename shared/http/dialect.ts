import { z } from 'zod';
import { type ApiError, CATALOGUE, type ErrorCode, viewError } from '../errors.ts';

/** How a family of routes is spoken to: where its credential may be, and how its errors are written. */
export interface Dialect {
  /** What begins the names of its components in the OpenAPI document. */
  readonly prefix: string;
  /** What the paths begin with that are answered so, whether they are routes or not. */
  readonly under: readonly string[];
  /** A header that may hold an API key's token, in place of `Authorization`. */
  readonly tokenHeader: string | undefined;
  /** The status that a code is answered with. */
  statusOf(code: ErrorCode): number;
  /** The body of an error. */
  view(error: ApiError, requestId: string): unknown;
  /** The schema of the body of an error with one of these codes. */
  errorAnswer(codes: readonly ErrorCode[]): z.ZodType;
}

const errorFields = {
  message: z.string().describe('for people; do not parse'),
  request_id: z.string().describe('the x-request-id of the response'),
};
const capFields = {
  cap: z.int().optional().describe('with ops_cap_reached alone'),
  resets_at: z.iso.datetime().optional().describe('with ops_cap_reached alone'),
};
/** In JSON Schema alone: Zod would say it with a union of objects. */
const CAP_FIELDS_GO_WITH_THE_CODE = {
  if: { properties: { error: { const: 'ops_cap_reached' } } },
  // biome-ignore lint/suspicious/noThenProperty: it is a word of JSON Schema
  then: { required: Object.keys(capFields) },
  else: { properties: { cap: false, resets_at: false } },
};

/** The service's own. */
export const NATIVE: Dialect = {
  prefix: '',
  under: [],
  tokenHeader: undefined,
  statusOf: (code) => CATALOGUE[code].status,
  view: viewError,
  errorAnswer(codes) {
    const fields = { error: z.enum(codes), ...errorFields };
    if (!codes.includes('ops_cap_reached')) return z.object(fields);
    return z.object({ ...fields, ...capFields }).meta(CAP_FIELDS_GO_WITH_THE_CODE);
  },
};

/** The dialect of a path: the service's own unless one of these has it. */
export function dialectOf(dialects: readonly Dialect[], path: string): Dialect {
  return dialects.find(({ under }) => under.some((start) => path.startsWith(start))) ?? NATIVE;
}
