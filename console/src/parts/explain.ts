import { EncryptionServiceError, type ErrorCode } from '../../../client/src/index.ts';
import { ChangedMeanwhile } from '../service/changed-meanwhile.ts';
import { SiteUnreached } from '../session/config.ts';
import { ProviderUnreached, SignInFailed } from '../session/provider.ts';
import {
  CHANGED_MEANWHILE,
  type Explanation,
  FAILURES,
  NO_CONFIG,
  NO_PROVIDER,
  OFFLINE,
  PROVIDER_UNREACHED,
  READING_FAILURES,
  REPEATED,
  UNKNOWN_FAILURE,
  UNREACHED,
} from '../words.ts';

interface Explained {
  readonly happened: string;
  readonly advice: string;
  /** The message from the service, if it contains more information than the explanation. */
  readonly detail: string | undefined;
  readonly requestId: string | undefined;
  /** The code of the service's error, which the documentation explains. */
  readonly code?: string;
}

/**
 * The kind of a failed request. A `read` changes nothing, so the person does not need to check anything. The console
 * itself repeats a `repeated-read`.
 */
export type FailedRequest = 'change' | 'read' | 'repeated-read';

/** Returns the explanation of an error. */
export function explain(problem: unknown, request: FailedRequest): Explained {
  if (problem instanceof EncryptionServiceError) {
    // A change may have been made before the connection ended, so only a read is known to have had no effect.
    if (request !== 'change' && problem.status === undefined && !navigator.onLine) {
      return { ...OFFLINE, detail: undefined, requestId: undefined };
    }
    const known = explanationOf(problem.code, request);
    const asTheServiceSaid = known === undefined || problem.status === 400;
    return {
      ...(known ?? UNKNOWN_FAILURE),
      detail: asTheServiceSaid ? problem.message : undefined,
      // Without an answer, the request may have reached nobody who could look for it.
      requestId: problem.status === undefined ? undefined : problem.requestId,
      ...(problem.status !== undefined && { code: problem.code }),
    };
  }
  const none = { detail: undefined, requestId: undefined };
  if (problem instanceof ChangedMeanwhile) return { ...CHANGED_MEANWHILE, ...none };
  if (problem instanceof SiteUnreached) return { ...UNREACHED, ...none };
  if (problem instanceof ProviderUnreached) return { ...PROVIDER_UNREACHED, ...none };
  if (problem instanceof SignInFailed) return { ...NO_PROVIDER, detail: problem.message, requestId: undefined };
  if (problem instanceof TypeError && problem.message.includes('config.json')) return { ...NO_CONFIG, ...none };
  if (problem instanceof Error && problem.message !== '')
    return { ...UNKNOWN_FAILURE, ...none, detail: problem.message };
  return { ...UNKNOWN_FAILURE, ...none };
}

function explanationOf(code: ErrorCode, request: FailedRequest): Explanation | undefined {
  const reading = request === 'change' ? undefined : READING_FAILURES[code];
  if (reading === undefined) return FAILURES[code];
  return request === 'repeated-read' ? { ...reading, advice: REPEATED } : reading;
}
