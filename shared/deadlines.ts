/** In milliseconds. */
export const DEADLINES_MS = {
  /** From the connection or the head's first byte. */
  head: 10_000,
  /** From the end of the head. */
  body: 5_000,
  /** Without the wait for its body. */
  request: 20_000,
  /** Until the client has read the whole answer. */
  answer: 20_000,
  policy: 2_000,
  identity: 5_000,
  /** After a failed fetch of the identity provider's keys. */
  identityAgain: 500,
  firestore: 10_000,
  kms: 10_000,
  stripe: 20_000,
  /** After this long without any response, retries of Firestore or the KMS stop. */
  outage: 2_000,
  /** The deadline of a call during such an outage. The client reconnects once a second. */
  reconnect: 1_500,
  readiness: 2_000,
} as const;
