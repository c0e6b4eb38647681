/** How far one data key is used, and how many are kept. */
export interface Limits {
  /** Milliseconds that a data key is used after it was wrapped or unwrapped; five minutes by default. */
  readonly maxAgeMs?: number | undefined;
  /** Records encrypted under one data key; a million by default. */
  readonly maxMessages?: number | undefined;
  /** Bytes of plaintext encrypted under one data key; 64 GiB by default. */
  readonly maxBytes?: number | undefined;
  /** Data keys kept for encrypting, and as many for decrypting; a thousand by default. */
  readonly maxKeys?: number | undefined;
}

const DEFAULTS = { maxAgeMs: 300_000, maxMessages: 1_000_000, maxBytes: 2 ** 36, maxKeys: 1_000 };

/** The limits with the defaults. Throws a `RangeError` for one that is not a positive whole number. */
export function readLimits(limits: Limits): typeof DEFAULTS {
  const { maxAgeMs = DEFAULTS.maxAgeMs, maxMessages = DEFAULTS.maxMessages } = limits;
  const { maxBytes = DEFAULTS.maxBytes, maxKeys = DEFAULTS.maxKeys } = limits;
  const all = { maxAgeMs, maxMessages, maxBytes, maxKeys };
  for (const [name, limit] of Object.entries(all)) {
    if (!Number.isSafeInteger(limit) || limit < 1) throw new RangeError(`${name} must be a positive whole number`);
  }
  return all;
}
