import { EncryptionService } from '../service.ts';
import type { Answer, Billing, EncryptionServiceOptions, Fetch, Key, Readiness, SignIn, UsageLine } from '../types.ts';

/** The options for calling the service that is examined. */
export type DiagnosisOptions = EncryptionServiceOptions & {
  /**
   * The name of the credential, such as `the API key in ESK_API_KEY`. Without a credential, this is an instruction for
   * the user.
   */
  readonly source: string;
};

type Outcome<T> = { readonly value: T } | { readonly error: unknown };

/** An answer's `Date` header, and when the request was sent and answered, in milliseconds since the epoch. */
interface Dated {
  readonly date: string | null;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** The outcomes of the requests that the checks need. Each request is sent once, at its first use. */
export interface Examination {
  readonly options: DiagnosisOptions;
  readonly live: () => Promise<Outcome<{ readonly isLive: boolean; readonly dated: Dated | undefined }>>;
  readonly signIn: () => Promise<Outcome<SignIn>>;
  readonly caller: () => Promise<Outcome<Answer<'get_caller'>>>;
  readonly keys: () => Promise<Outcome<Key[]>>;
  readonly usage: () => Promise<Outcome<UsageLine[]>>;
  readonly billing: () => Promise<Outcome<Billing>>;
  readonly readiness: () => Promise<Outcome<Readiness>>;
}

/** No retries, because a person is waiting and retries would hide intermittent failures. */
const LIMITS = { maxRetries: 0, timeoutMs: 15_000 };

/** Copies the options, because the caller may change them during the examination. */
export function examination(given: DiagnosisOptions): Examination {
  const options = { ...given, url: String(given.url) };
  let dated: Dated | undefined;
  const { fetch: send = (...request) => globalThis.fetch(...request) } = options;
  const timed: Fetch = async (...request) => {
    const sentAt = Date.now();
    const response = await send(...request);
    dated = { date: response.headers.get('date'), sentAt, receivedAt: Date.now() };
    return response;
  };
  const service = () => new EncryptionService({ ...options, ...LIMITS, fetch: timed });
  return {
    options,
    live: once(async () => {
      const { status } = Object(await service().live());
      return { isLive: status === 'ok', dated };
    }),
    signIn: once(() => service().signIn()),
    caller: once(() => service().getCaller()),
    keys: once(() => service().listKeys()),
    usage: once(() => service().readUsage()),
    billing: once(() => service().readBilling()),
    readiness: once(() => service().ready()),
  };
}

function once<T>(send: () => Promise<T>): () => Promise<Outcome<T>> {
  let outcome: Promise<Outcome<T>> | undefined;
  const run = async (): Promise<Outcome<T>> => {
    try {
      return { value: await send() };
    } catch (error) {
      return { error };
    }
  };
  return () => {
    outcome ??= run();
    return outcome;
  };
}
