import type { IncomingMessage, RequestListener } from 'node:http';
import { Invoker } from '../auth/invoker.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config.ts';
import { toApiError } from '../errors.ts';
import { singleHeader } from './request.ts';
import { requestId } from './request-id.ts';
import { sendError, sendReply } from './respond.ts';
import { traceFields } from './trace.ts';

/**
 * Refuses requests from senders other than the configured invoker, before any check reads the request. Answers the
 * platform's liveness probe.
 */
export function admitInvoker(config: Config, log: Log, listener: RequestListener): RequestListener {
  if (config.invoker === undefined) return listener;
  const invoker = new Invoker(config.invoker);
  return async (message, response) => {
    if (isProbe(message))
      return sendReply(message, response, requestId(undefined), { status: 200, body: { status: 'ok' } });
    try {
      await invoker.refuseOthers({
        authorization: singleHeader(message, 'authorization'),
        checkedElsewhere: message.headers['x-serverless-authorization'] !== undefined,
      });
    } catch (thrown) {
      const id = requestId(message.headers['x-request-id']);
      const error = toApiError(thrown);
      const fields = { request_id: id, code: error.code, ...traceFields(config.project, message.headers) };
      log.write('request not from the configured invoker', fields, error);
      return sendError(message, response, id, error);
    }
    return listener(message, response);
  };
}

/** The platform calls the process directly and without a token. All other requests come with one. */
function isProbe({ method, url, headers }: IncomingMessage): boolean {
  return method === 'GET' && url === '/health' && headers.authorization === undefined;
}
