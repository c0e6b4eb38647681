import type { RequestListener } from 'node:http';
import { Invoker } from '../auth/invoker.ts';
import type { Env } from '../env.ts';
import { toApiError } from '../errors.ts';
import { requestId } from './request-id.ts';
import { sendError } from './respond.ts';
import { traceFields } from './trace.ts';

/** Lets through what the function's one invoker sends and refuses the rest before anything of it is looked at; without one lets everything through. */
export function admitInvoker(env: Env, listener: RequestListener): RequestListener {
  if (env.config.invoker === undefined) return listener;
  const invoker = new Invoker(env.config.invoker);
  return async (message, response) => {
    try {
      await invoker.refuseOthers(message);
    } catch (thrown) {
      const id = requestId(message.headers['x-request-id']);
      const error = toApiError(thrown);
      const fields = { request_id: id, code: error.code, ...traceFields(env.config.project, message.headers) };
      env.log.write('WARNING', 'a request not of the invoker', fields, error);
      return sendError(message, response, id, error);
    }
    return listener(message, response);
  };
}
