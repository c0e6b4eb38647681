import * as z from 'zod';
import type { Account } from './account.ts';
import { StripeError, viewError } from './errors.ts';
import { apiVersion } from './events.ts';
import { expandAnswer } from './expand.ts';
import { decodeForm, type Form } from './form.ts';
import { findStoredAnswer, fingerprintOf, storeAnswer } from './idempotency.ts';
import { newId } from './ids.ts';
import { listOf, parseParams, text } from './params.ts';
import { findRoute } from './routes.ts';

/** A request to the API, read in full. */
export type ApiRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
  readonly authorization: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly version: string | undefined;
};

/** An answer of the API; the body is JSON. */
export type ApiAnswer = { status: number; headers: Record<string, string>; body: string };

const expandParams = z.object({ expand: listOf(text).optional() });

/** Answers a request on behalf of whoever holds the secret key. Never throws for what the request says. */
export function answerApi(account: Account, secretKey: string, request: ApiRequest): ApiAnswer {
  const requestId = newId('req');
  const headers = {
    'content-type': 'application/json',
    'request-id': requestId,
    'stripe-version': request.version ?? apiVersion,
  };
  try {
    if (request.authorization !== `Bearer ${secretKey}`) {
      throw new StripeError(401, 'Invalid API Key provided.');
    }
    return { status: 200, ...answerOnce(account, request, headers, requestId) };
  } catch (error) {
    const known = error instanceof StripeError ? error : new StripeError(500, String(error), { type: 'api_error' });
    return { status: known.status, headers, body: viewBody(viewError(known)) };
  }
}

function answerOnce(account: Account, request: ApiRequest, headers: Record<string, string>, requestId: string) {
  const key = request.method === 'POST' ? request.idempotencyKey : undefined;
  if (key === undefined) {
    return { headers, body: carryOut(account, request, requestId) };
  }
  const fingerprint = fingerprintOf(request.method, request.path, request.body);
  const stored = findStoredAnswer(account, key, fingerprint);
  if (stored !== undefined) {
    const replay = { 'idempotent-replayed': 'true', 'original-request': stored.request_id };
    return { headers: { ...headers, 'idempotency-key': key, ...replay }, body: stored.body };
  }
  const body = carryOut(account, request, requestId);
  storeAnswer(account, { key, fingerprint, request_id: requestId, body });
  return { headers: { ...headers, 'idempotency-key': key }, body };
}

function carryOut(account: Account, request: ApiRequest, requestId: string): string {
  const { method, path } = request;
  const found = findRoute(method, path);
  if (found === undefined) {
    throw new StripeError(404, `Unrecognized request URL (${method}: ${path}).`);
  }
  const origin = { requestId, idempotencyKey: request.idempotencyKey ?? null };
  const form: Form = decodeForm(method === 'GET' || request.body === '' ? request.query : request.body);
  const { expand = [] } = parseParams(expandParams, form);
  delete form.expand;
  const answer = found.route.answer({ ...account, origin }, form, found.id);
  return viewBody(expandAnswer(account, answer, expand));
}

function viewBody(object: object): string {
  return `${JSON.stringify(object, null, 2)}\n`;
}
