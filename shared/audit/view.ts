import { z } from 'zod';
import { viewInstant } from '../base/clock.ts';
import { ERROR_CODES } from '../errors.ts';
import { OPERATIONS } from '../operations.ts';
import type { Recorded } from './read.ts';

/** The audit event of the interface. */
export const eventAnswer = z
  .object({
    id: z.uuid(),
    ts: z.iso.datetime().describe('to the microsecond; usable as it is for since and until'),
    operation: z.enum(OPERATIONS),
    result: z.enum(['success', 'error']),
    error_code: z.enum(ERROR_CODES).nullable(),
    request_id: z.string().nullable(),
    key_id: z.uuid().nullable(),
    api_key_id: z.uuid().nullable(),
    user_id: z.uuid().nullable(),
  })
  .meta({ id: 'AuditEvent' });

/** An event as its tenant sees it. */
export function viewEvent({ id, event }: Recorded): z.input<typeof eventAnswer> {
  const { ts, operation, result, error_code, request_id, key_id, api_key_id, user_id } = event;
  return { id, ts: viewInstant(ts), operation, result, error_code, request_id, key_id, api_key_id, user_id };
}
