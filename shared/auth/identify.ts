import { ahead } from '../base/ahead.ts';
import type { Env } from '../env.ts';
import type { Request } from '../http/request.ts';
import { asCaller, authenticateApiKey, authenticateSession, noteUse, refuseOutsideFirewall } from './authenticate.ts';
import type { Identity } from './caller.ts';
import { readCredential } from './credential.ts';

/** A proved credential, and the firewall's word on it: to be awaited before anything else is decided. */
export interface Identified {
  readonly identity: Identity;
  readonly firewall: Promise<void>;
}

/** Whoever the request's credential resolves to. The firewall's answer may still be on its way. */
export async function identify(
  env: Env,
  request: Request,
  credential = readCredential(env.config, request),
): Promise<Identified> {
  if (credential.kind === 'access_token') {
    return { identity: await authenticateSession(env, credential.accessToken), firewall: Promise.resolve() };
  }
  const apiKey = await authenticateApiKey(env, credential.token);
  const firewall = refuseOutsideFirewall(env, apiKey, request).then(() => noteUse(env, apiKey, request.id));
  return { identity: asCaller(apiKey), firewall: ahead(firewall) };
}
