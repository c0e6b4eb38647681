import type { RequestListener } from 'node:http';
import type { Log } from '../../shared/base/log.ts';
import type { Config } from '../../shared/config.ts';
import { toApiError } from '../../shared/errors.ts';
import { requestId } from '../../shared/http/request-id.ts';
import { sendError, sendReply } from '../../shared/http/respond.ts';
import { traceFields } from '../../shared/http/trace.ts';

/** Runs a job on every request. Answers 200 with the summary of the run, or an error if the run fails. */
export function makeJobListener(
  { config, log }: { readonly config: Config; readonly log: Log },
  job: () => Promise<unknown>,
): RequestListener {
  return async (message, response) => {
    const id = requestId(message.headers['x-request-id']);
    try {
      sendReply(message, response, id, { status: 200, body: await job() });
    } catch (thrown) {
      const error = toApiError(thrown);
      const fields = { request_id: id, ...traceFields(config.project, message.headers) };
      log.write('scheduled run failed', fields, error);
      sendError(message, response, id, error);
    }
  };
}
