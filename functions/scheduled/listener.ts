import type { RequestListener } from 'node:http';
import type { Env } from '../../shared/env.ts';
import { toApiError } from '../../shared/errors.ts';
import { requestId } from '../../shared/http/request-id.ts';
import { sendError, sendReply } from '../../shared/http/respond.ts';
import { traceFields } from '../../shared/http/trace.ts';
import type { Job } from '../../shared/local.ts';

/** Runs a job at every request and answers its summary. */
export function makeJobListener(env: Env, job: Job): RequestListener {
  return async (message, response) => {
    const id = requestId(message.headers['x-request-id']);
    try {
      sendReply(message, response, id, { status: 200, body: await job(env) });
    } catch (thrown) {
      const error = toApiError(thrown);
      const fields = { request_id: id, ...traceFields(env.config.project, message.headers) };
      env.log.write('ERROR', 'a scheduled run failed', fields, error);
      sendError(message, response, id, error);
    }
  };
}
