import { expect } from 'vitest';
import { z } from 'zod';
import { jsonBody } from '../../../shared/http/body.ts';
import { asRequest, readSent, type Sent } from './exchange.ts';

const shape = z.object({ value: z.string(), note: z.string().nullish() });

export const JSON_TYPE = { 'content-type': 'application/json' };

/** Reads a request as a route with the field `value` and the optional field `note`. */
export function readJson(sent: Sent): Promise<z.output<typeof shape>> {
  return readSent(sent, (message) => jsonBody(shape).read(asRequest(message)));
}

/** Reads these bytes as the JSON body of the same route as `readJson`. */
export function parse(...body: (string | Uint8Array)[]): Promise<z.output<typeof shape>> {
  return readJson({ headers: JSON_TYPE, body });
}

/** Returns a matcher for an error with this code and message. */
export function refusal(code: string, message: string | RegExp): unknown {
  return expect.objectContaining({ code, message: expect.stringMatching(message) });
}

/** Matches the error for a malformed body. */
export const malformed = refusal('invalid_request', /^invalid request body: ./);
