import { z } from 'zod';
import { type ApiError, CATALOGUE, type ErrorCode, viewError } from '../errors.ts';
import type { InputReader } from './input.ts';

/** How a family of routes is spoken to: where its credential may be, and how its errors are written. */
export interface Dialect {
  /** What begins the names of its components in the OpenAPI document. */
  readonly prefix: string;
  /** What the paths begin with that are answered so, whether they are routes or not. */
  readonly under: readonly string[];
  /** A header that may hold an API key's token, in place of `Authorization`. */
  readonly tokenHeader: string | undefined;
  /** How a route's input is read: what the dialect has and the service has not is refused with `invalid_request`. */
  reading<Input>(reader: InputReader<Input>): InputReader<Input>;
  /** The status that a code is answered with. */
  statusOf(code: ErrorCode): number;
  /** The body of an error. */
  view(error: ApiError, requestId: string): unknown;
  /** The schema of the body of an error with one of these codes. */
  errorAnswer(codes: readonly ErrorCode[]): z.ZodType;
}

const errorFields = {
  message: z.string().describe('For people. Do not parse it; use `error`.'),
  request_id: z.string().describe('Same as the `x-request-id` header of the response.'),
};
const capFields = {
  cap: z.int().optional().describe('The monthly cap of the key. Present only with `ops_cap_reached`.'),
  resets_at: z.iso
    .datetime()
    .optional()
    .describe('When the count starts again at 0. Present only with `ops_cap_reached`.'),
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
  reading: (reader) => reader,
  statusOf: (code) => CATALOGUE[code].status,
  view: viewError,
  errorAnswer(codes) {
    const fields = { error: z.enum(codes).describe('The error code, for programs.'), ...errorFields };
    if (!codes.includes('ops_cap_reached')) return z.object(fields);
    return z.object({ ...fields, ...capFields }).meta(CAP_FIELDS_GO_WITH_THE_CODE);
  },
};

/** The dialect of a path: the service's own unless one of these has it. */
export function dialectOf(dialects: readonly Dialect[], path: string): Dialect {
  return dialects.find(({ under }) => under.some((start) => path.startsWith(start))) ?? NATIVE;
}
