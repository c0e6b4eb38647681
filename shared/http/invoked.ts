import type { RequestListener } from 'node:http';
import { Invoker } from '../auth/invoker.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config.ts';
import { toApiError } from '../errors.ts';
import { singleHeader } from './request.ts';
import { requestId } from './request-id.ts';
import { sendError } from './respond.ts';
import { traceFields } from './trace.ts';

/** Refuses requests from senders other than the configured invoker, before any check reads the request. */
export function admitInvoker(config: Config, log: Log, listener: RequestListener): RequestListener {
  if (config.invoker === undefined) return listener;
  const invoker = new Invoker(config.invoker);
  return async (message, response) => {
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
