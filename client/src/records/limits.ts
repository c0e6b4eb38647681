/** The limits of the data keys that the library caches. */
export interface Limits {
  /**
   * The milliseconds for which a data key is used after it was wrapped or unwrapped. The default is five minutes.
   * During this time, `DataKeys` does not notice that the API key was revoked, or that the key was rotated, deleted or
   * destroyed.
   */
  readonly maxAgeMs?: number | undefined;
  /** The most records that one data key encrypts. The default is a million. */
  readonly maxMessages?: number | undefined;
  /** The most bytes of plaintext that one data key encrypts. The default is 64 GiB. */
  readonly maxBytes?: number | undefined;
  /** The most data keys in each of two caches: for encryption and decryption. The default is 1,000. */
  readonly maxKeys?: number | undefined;
}

const DEFAULTS = { maxAgeMs: 300_000, maxMessages: 1_000_000, maxBytes: 2 ** 36, maxKeys: 1_000 };

export function readLimits(limits: Limits): typeof DEFAULTS {
  const { maxAgeMs = DEFAULTS.maxAgeMs, maxMessages = DEFAULTS.maxMessages } = limits;
  const { maxBytes = DEFAULTS.maxBytes, maxKeys = DEFAULTS.maxKeys } = limits;
  const all = { maxAgeMs, maxMessages, maxBytes, maxKeys };
  for (const [name, limit] of Object.entries(all)) {
    if (!Number.isSafeInteger(limit) || limit < 1) throw new RangeError(`${name} must be a positive whole number`);
  }
  return all;
}
