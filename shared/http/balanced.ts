import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { Log } from '../base/log.ts';
import type { Config } from '../config.ts';
import { unauthorized } from '../errors.ts';
import { singleHeader } from './request.ts';
import { requestId } from './request-id.ts';
import { sendError } from './respond.ts';
import { traceFields } from './trace.ts';

/** The header with which the load balancer proves that a request came through it. */
const BALANCER_HEADER = 'x-balancer-secret';

/**
 * Refuses requests that did not come through the load balancer, if there is one. Behind a balancer, the client's address
 * is one entry further to the left in `X-Forwarded-For`. A caller who could go around the balancer would choose that
 * entry, and so pass every firewall.
 */
export function admitBalanced(config: Config, log: Log, listener: RequestListener): RequestListener {
  const accepted = config.balancerSecrets.map(digest);
  if (accepted.length === 0) return listener;
  return (message, response) => {
    const given = digest(singleHeader(message, BALANCER_HEADER) ?? '');
    delete message.headers[BALANCER_HEADER];
    if (accepted.some((one) => timingSafeEqual(one, given))) return listener(message, response);
    const id = requestId(message.headers['x-request-id']);
    const error = unauthorized();
    const fields = { request_id: id, code: error.code, ...traceFields(config.project, message.headers) };
    log.write('request not through the load balancer', fields);
    return sendError(message, response, id, error);
  };
}

/** Hashes have the same length, which a comparison in constant time requires. */
function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
