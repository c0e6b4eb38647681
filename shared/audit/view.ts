import { z } from 'zod';
import { viewInstant } from '../base/clock.ts';
import { ERROR_CODES } from '../errors.ts';
import { RECORDABLE } from '../operations.ts';
import type { Recorded } from './read.ts';

/** The workload that called with its ID token. */
export const workloadAnswer = z.object({
  issuer: z.string().describe('The issuer of the ID token.'),
  subject: z.string().nullable().describe('The beginning of the claim `sub`, or `null` if it is no text.'),
});

export const eventAnswer = z
  .object({
    id: z.uuid().describe('The ID of the event.'),
    ts: z.iso
      .datetime()
      .describe('Time of the event, with microseconds. You can pass it unchanged as `since` or `until`.'),
    operation: z.string().meta({ enum: RECORDABLE }).describe('The operation that was attempted.'),
    result: z.enum(['success', 'error']).describe('Whether the operation succeeded.'),
    error_code: z
      .string()
      .meta({ enum: ERROR_CODES })
      .nullable()
      .describe('The error code of a failed operation; otherwise `null`.'),
    request_id: z
      .string()
      .nullable()
      .describe('The `x-request-id` of the request, or `null` if no request caused the event.'),
    key_id: z.uuid().nullable().describe('The key, or `null` if the event is about no key.'),
    api_key_id: z.uuid().nullable().describe('The API key that sent the request, or `null`.'),
    user_id: z.uuid().nullable().describe('The signed-in user who sent the request, or `null`.'),
    target_id: z
      .uuid()
      .nullable()
      .describe('The API key, container, firewall, invitation, member or tenant that was changed, or `null`.'),
    workload: workloadAnswer
      .nullable()
      .optional()
      .describe('The workload that called with its ID token, or `null`. Events of releases before 1.1.0 lack it.'),
    changes: z
      .array(
        z.object({
          field: z.string().describe('The name of the field.'),
          before: z.unknown().describe('The value before the change; `null` if the object is new.'),
          after: z.unknown().describe('The value after the change.'),
        }),
      )
      .nullable()
      .optional()
      .describe(
        'The changed fields of an API key, container, firewall, member, invitation or tenant; otherwise `null`. If the list is longer than 16 KiB, its longest values are replaced by `{"sha256","count"}`: the SHA-256 of the value in RFC 8785 JSON, and its number of members or characters. Events of earlier releases lack this field.',
      ),
  })
  .meta({ id: 'AuditEvent' });

/** Returns an event as the routes show it. The sealed log contains exactly this. */
export function viewEvent({ id, event }: Recorded): z.input<typeof eventAnswer> {
  const { ts, operation, result, error_code, request_id, key_id, api_key_id, user_id, target_id, changes } = event;
  return {
    ...{ id, ts: viewInstant(ts), operation, result, error_code, request_id, key_id, api_key_id, user_id, target_id },
    // Rows of earlier releases lack these members. They are shown as they were sealed.
    ...(event.workload !== undefined && { workload: event.workload }),
    ...(changes !== undefined && { changes }),
  };
}
