import http from 'node:http';
import { text } from 'node:stream/consumers';
import { outcome } from '../support/client.ts';

/** A request that was started. */
interface Tracked {
  /** Returns whether the whole request has been written to the connection. */
  isSent(): boolean;
  /**
   * How the request ended, as the client saw it: an outcome such as `500 internal_error`, `unanswered` if no byte of an
   * answer arrived, or `cut` if the answer began but did not end.
   */
  readonly ending: Promise<string>;
}

/** Posts JSON. Reports exactly how the request ended, which ordinary clients do not. */
export function post(agent: http.Agent, url: string, headers: http.OutgoingHttpHeaders, body: unknown): Tracked {
  const { promise: ending, resolve } = Promise.withResolvers<string>();
  const request = http.request(url, {
    agent,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
  });
  request.once('error', () => resolve('unanswered'));
  request.once('response', (answer) => {
    text(answer).then(
      (whole) => resolve(outcome({ status: answer.statusCode ?? 0, body: JSON.parse(whole) })),
      () => resolve('cut'),
    );
  });
  request.end(JSON.stringify(body));
  return { isSent: () => request.writableFinished, ending };
}
