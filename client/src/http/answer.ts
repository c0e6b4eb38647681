import { ROUTES } from '../api/generated.ts';
import { decodeAnswer } from '../api/json.ts';
import { Timestamp } from '../api/timestamp.ts';
import { type EncryptionServiceError, type ErrorCode, isApiErrorCode } from '../errors.ts';
import type { Answer, OperationId } from '../types.ts';
import type { Received } from './exchange.ts';
import { failure } from './failure.ts';

/**
 * Returns the answer in a response. Throws an `EncryptionServiceError` for an error, or if the service did not send the
 * response.
 */
export function readAnswer<Id extends OperationId>(operation: Id, received: Received): Answer<Id> {
  const { status, text } = received;
  const route = ROUTES[operation];
  if (text === undefined) throw unexpectedResponse(operation, received, new Error('the response is too long'));
  if (!route.statuses.some((one) => one === status)) throw refusal(operation, received);
  try {
    return decodeAnswer(status === 204 ? 'null' : route.isPlainText ? JSON.stringify(text) : text, route);
  } catch (cause) {
    throw unexpectedResponse(operation, received, cause);
  }
}

function refusal(operation: OperationId, received: Received): EncryptionServiceError {
  const { error, message, request_id, resets_at } = Object(parse(received.text ?? ''));
  if (!isApiErrorCode(error) || typeof message !== 'string') return unexpectedResponse(operation, received);
  return failure(operation, error, message, {
    status: received.status,
    requestId: typeof request_id === 'string' ? request_id : received.requestId,
    resetsAt: timeIn(resets_at),
  });
}

/** Returns the time in a text, or `undefined`: the code of an error matters more than its details. */
function timeIn(text: unknown): Timestamp | undefined {
  try {
    return typeof text === 'string' ? new Timestamp(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the error for a response from a proxy, another server or an unknown version of the service. */
function unexpectedResponse(
  operation: OperationId,
  { status, requestId }: Received,
  cause?: unknown,
): EncryptionServiceError {
  return failure(
    operation,
    codeOfProxy(status),
    `unexpected response with status ${status}; check the URL, and any proxy in front of the service`,
    {
      status,
      requestId,
      cause,
    },
  );
}

/**
 * Returns the code for a proxy's error. A proxy that answers 429 did not forward the request. A proxy that answers 502,
 * 503 or 504 may have forwarded it.
 */
function codeOfProxy(status: number): ErrorCode {
  if (status === 429) return 'rate_limited';
  return status === 502 || status === 503 || status === 504 ? 'answer_lost' : 'invalid_answer';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
