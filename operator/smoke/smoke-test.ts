import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';

const DEADLINE_MS = 30_000;

/** An answer with the parts that the smoke test checks. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as JSON, or as text if it is not JSON. */
  readonly body: unknown;
}

/** Sends a request. With `apiKey`, the request has this credential. */
type Send = (method: string, path: string, options?: { apiKey?: string; body?: unknown }) => Promise<Answer>;

/** Returns a function that sends requests to the service at this origin. */
function connect(origin: string): Send {
  return async (method, path, { apiKey, body } = {}) => {
    const response = await fetch(`${origin}${path}`, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(DEADLINE_MS),
      headers: {
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: parse(await response.text()) };
  };
}

const envelope = z.object({ error: z.string(), message: z.string(), request_id: z.string() });

/** Returns the status of an answer, and its error code if its body is the service's own error body. */
function outcome({ status, headers, body }: Answer): string {
  const parsed = envelope.safeParse(body);
  const isOurs = parsed.success && headers.get('x-request-id') === parsed.data.request_id;
  return isOurs ? `${status} ${parsed.data.error}` : `${status}`;
}

/** Returns the answer's body. Throws an `Error` if the answer has another status or another body. */
function expectBody<Body>(answer: Answer, status: number, body: z.ZodType<Body>): Body {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${outcome(answer)}`);
  const parsed = body.safeParse(answer.body);
  if (!parsed.success) throw new Error(`unexpected body: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`);
  return parsed.data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const NAME = 'smoke-test';

const key = z.object({ id: z.string(), name: z.string(), state: z.string() });
type Key = z.output<typeof key>;

/** The key with which the smoke test encrypts. */
interface CanaryKey {
  readonly id: string;
  /** Undoes what `openCanaryKey` did. */
  cleanUp(): Promise<void>;
}

/**
 * Finds the canary's key, restores it if it is pending deletion, or creates it. With `keep`, `cleanUp` leaves the key
 * for later runs, so that several runs can use the key at the same time.
 */
async function openCanaryKey(send: Send, apiKey: string, keep: boolean): Promise<CanaryKey> {
  const found = await findKey(send, apiKey);
  const active = found?.state === 'active';
  const { id } = active ? found : await makeActive(send, apiKey, found);
  return {
    id,
    async cleanUp() {
      if (keep || active) return;
      expectBody(await send('DELETE', `/v1/keys/${id}`, { apiKey }), 200, key);
    },
  };
}

async function findKey(send: Send, apiKey: string): Promise<Key | undefined> {
  const keys = expectBody(await send('GET', '/v1/keys', { apiKey }), 200, z.array(key));
  return keys.find(({ name }) => name === NAME);
}

async function makeActive(send: Send, apiKey: string, found: Key | undefined): Promise<Key> {
  if (found !== undefined) return expectBody(await send('POST', `/v1/keys/${found.id}/restore`, { apiKey }), 200, key);
  return expectBody(await send('POST', '/v1/keys', { apiKey, body: { name: NAME, tier: 'free' } }), 201, key);
}

interface SmokeTest {
  readonly origin: string;
  readonly apiKey: string;
  /** Whether the canary's key stays for later runs. */
  readonly keep: boolean;
  /** How long failed checks are repeated, in all. After a deployment, old instances can still answer. */
  readonly patienceMs: number;
  /** Called after each check, with the error if the check failed. */
  readonly report: (check: string, error?: string) => void;
}

const BETWEEN_MS = 2_000;

/** Runs a check. Returns what the check found, or `undefined` if it failed. */
type Check = <Found>(name: string, run: () => Promise<Found>) => Promise<{ readonly found: Found } | undefined>;

/**
 * Checks a running service from outside, as a caller sees it. Returns whether every check passed. A check does not run
 * if a check on which it depends has failed.
 */
export async function runSmokeTest({ origin, apiKey, keep, patienceMs, report }: SmokeTest): Promise<boolean> {
  const send = connect(origin);
  let passed = true;
  let leftMs = patienceMs;

  const check: Check = async (name, run) => {
    for (;;) {
      try {
        const found = await run();
        report(name);
        return { found };
      } catch (error) {
        if (leftMs > 0) {
          leftMs -= BETWEEN_MS;
          await pause(BETWEEN_MS);
          continue;
        }
        passed = false;
        report(name, error instanceof Error ? error.message : String(error));
        return undefined;
      }
    }
  };

  await checkErrors(send, check, apiKey);
  const key = await check('key of the canary', () => openCanaryKey(send, apiKey, keep));
  if (key === undefined) return false;
  await checkOperations(send, check, apiKey, key.found.id);
  await check('clean up', () => key.found.cleanUp());
  return passed;
}

/** Checks `/health`, and that errors have the service's own body. */
async function checkErrors(send: Send, check: Check, apiKey: string): Promise<void> {
  const refused = (name: string, expected: string, ask: () => Promise<Answer>) =>
    check(name, async () => {
      const found = outcome(await ask());
      if (found !== expected) throw new Error(`expected ${expected} in the service's own format, got ${found}`);
    });
  const ok = z.object({ status: z.literal('ok') });
  await check('health', async () => expectBody(await send('GET', '/health'), 200, ok));
  await refused('request without a credential', '401 unauthorized', () => send('GET', '/v1/keys'));
  await refused('unknown route', '404 not_found', () => send('GET', '/v1/no-such-route'));
  await refused('wrong method', '405 method_not_allowed', () => send('PATCH', '/v1/keys', { apiKey }));
}

async function checkOperations(send: Send, check: Check, apiKey: string, keyId: string): Promise<void> {
  const path = `/v1/keys/${keyId}`;
  const plaintext = randomBytes(32).toString('base64');
  const before = await check('usage', () => readOps(send, apiKey, keyId));
  const encrypted = await check('encrypt', async () => {
    const answer = await send('POST', `${path}/encrypt`, { apiKey, body: { plaintext } });
    const { ciphertext } = expectBody(answer, 200, z.object({ ciphertext: z.string() }));
    return { ciphertext, requestId: answer.headers.get('x-request-id') };
  });
  if (encrypted === undefined) return;
  const { ciphertext, requestId } = encrypted.found;
  const decrypted = await check('decrypt', async () => {
    const answer = await send('POST', `${path}/decrypt`, { apiKey, body: { ciphertext } });
    const opened = expectBody(answer, 200, z.object({ plaintext: z.string() }));
    if (opened.plaintext !== plaintext) throw new Error('the decrypted plaintext differs from the encrypted one');
  });
  await check('audit event', async () => {
    const event = z.object({ operation: z.string(), result: z.string(), request_id: z.string().nullable() });
    const events = expectBody(await send('GET', `${path}/audit?limit=1000`, { apiKey }), 200, z.array(event));
    if (!events.some((one) => one.operation === 'encrypt' && one.result === 'success' && one.request_id === requestId))
      throw new Error(`no event for the request ${requestId}`);
  });
  if (before === undefined || decrypted === undefined) return;
  await check('count of operations', async () => {
    const after = await readOps(send, apiKey, keyId);
    // A smaller number is the count of a new month.
    if (after >= before.found && after < before.found + 2)
      throw new Error(`expected at least ${before.found + 2} operations in this month, got ${after}`);
  });
}

/** Returns the key's number of operations in this month. */
async function readOps(send: Send, apiKey: string, keyId: string): Promise<number> {
  const usage = z.array(z.object({ key_id: z.string(), ops: z.number() }));
  const lines = expectBody(await send('GET', '/v1/usage', { apiKey }), 200, usage);
  return lines.find(({ key_id }) => key_id === keyId)?.ops ?? 0;
}
