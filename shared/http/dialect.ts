import { z } from 'zod';
import { type ApiError, CATALOGUE, type ErrorCode, viewError } from '../errors.ts';
import type { InputReader } from './input.ts';

/** The conventions of a family of routes: which headers carry the credential, and how errors are written. */
export interface Dialect {
  /** The prefix of the dialect's component names in the OpenAPI document. */
  readonly prefix: string;
  /** The prefixes of the paths that use this dialect, including paths without a route. */
  readonly under: readonly string[];
  /** A header that may carry an API key's token instead of `Authorization`. */
  readonly tokenHeader: string | undefined;
  /** Returns a reader that also throws `invalid_request` for requests that use an unsupported feature. */
  reading<Input>(reader: InputReader<Input>): InputReader<Input>;
  /** Explains why a request was refused whose method Node cannot parse. */
  readonly unreadable?: (method: string) => ApiError | undefined;
  statusOf(code: ErrorCode): number;
  view(error: ApiError, requestId: string): unknown;
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
/** `cap` and `resets_at` are required with `ops_cap_reached`, and forbidden without it. In Zod, this needs a union. */
const CAP_FIELDS_GO_WITH_THE_CODE = {
  if: { properties: { error: { const: 'ops_cap_reached' } } },
  // biome-ignore lint/suspicious/noThenProperty: `then` is a JSON Schema keyword
  then: { required: Object.keys(capFields) },
  else: { properties: { cap: false, resets_at: false } },
};

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

export function dialectOf(dialects: readonly Dialect[], path: string): Dialect {
  return dialects.find(({ under }) => under.some((start) => path.startsWith(start))) ?? NATIVE;
}
