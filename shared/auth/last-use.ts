import { type Clock, SECOND_US } from '../base/clock.ts';
import type { ApiKeyId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Store } from '../store/store.ts';
import { API_KEYS, type ApiKey } from '../tenancy/api-key.ts';

/** `last_used_at` is stored at most once in this time. The API allows it to be a minute late. */
const STEP_US = 30 * SECOND_US;

export class LastUse {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  /** API keys whose last use is being written. Concurrent requests must not write it as well. */
  readonly #beingNoted = new Set<ApiKeyId>();

  constructor(store: Store, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** Stores the time of the last use if the stored time is old. If that fails, logs the failure: nobody is refused. */
  async note(apiKey: ApiKey, requestId: string): Promise<void> {
    if (!this.#isDue(apiKey)) return;
    const { id } = apiKey;
    this.#beingNoted.add(id);
    try {
      await this.#store.write((writes) => writes.setInstant(API_KEYS, id, 'last_used_at', this.#clock.now()));
    } catch (error) {
      this.#log.write('storing last_used_at failed', { request_id: requestId, api_key_id: id }, error);
    } finally {
      this.#beingNoted.delete(id);
    }
  }

  #isDue({ id, last_used_at }: ApiKey): boolean {
    const isRecent = last_used_at !== null && Math.abs(this.#clock.now() - last_used_at) < STEP_US;
    return !isRecent && !this.#beingNoted.has(id);
  }
}
