import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Account } from './account.ts';
import { answerApi } from './api.ts';
import { advanceBilling } from './billing-cycle.ts';
import { StripeError, viewError } from './errors.ts';
import { headerOf, readBody, send } from './http.ts';
import type { Outbox } from './outbox.ts';
import { answerPage } from './pages.ts';
import type { Store } from './store.ts';

/** What requests are answered with. */
export type Backend = {
  readonly account: Account;
  readonly store: Store;
  readonly outbox: Outbox;
  readonly secretKey: string;
};

const json = { 'content-type': 'application/json' };

/** Answers the API below `/v1/` and the hosted pages beside it. What changed is saved before the answer goes out. */
export function makeListener(backend: Backend): RequestListener {
  return (request, response) => {
    answer(backend, request, response).catch((error) => {
      if (response.headersSent) {
        process.stderr.write(`stripe emulator: ${String(error)}\n`);
        return;
      }
      const failure = new StripeError(500, String(error), { type: 'api_error' });
      send(response, 500, json, JSON.stringify(viewError(failure)));
    });
  };
}

async function answer(backend: Backend, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  if (body === undefined) {
    const tooLarge = new StripeError(413, 'Request body too large.');
    send(response, 413, json, JSON.stringify(viewError(tooLarge)));
    return;
  }
  // Requests run one after the other from here to the save: nothing below waits for anything in between.
  advanceBilling(backend.account);
  const [path = '/', ...query] = (request.url ?? '/').split('?');
  const method = request.method ?? 'GET';
  const page = answerPage(backend.account, method, path);
  if (page !== undefined) {
    backend.store.save();
    // A person who has pressed a button is sent on once the service has heard of it.
    await backend.outbox.flushNew();
    sendPage(response, page);
    return;
  }
  const reply = answerApi(backend.account, backend.secretKey, {
    method,
    path,
    query: query.join('?'),
    body,
    authorization: headerOf(request, 'authorization'),
    idempotencyKey: headerOf(request, 'idempotency-key'),
    version: headerOf(request, 'stripe-version'),
  });
  backend.store.save();
  send(response, reply.status, reply.headers, reply.body);
  // Not waited for: whoever receives the events may be the one who asked.
  await backend.outbox.flushNew();
}

function sendPage(response: ServerResponse, page: NonNullable<ReturnType<typeof answerPage>>): void {
  if (page.status === 303 && 'location' in page) {
    send(response, 303, { location: page.location }, '');
  } else if ('html' in page) {
    send(response, page.status, { 'content-type': 'text/html; charset=utf-8' }, page.html);
  }
}
