/** Deadlines of outgoing calls and incoming requests, in milliseconds. */
export const DEADLINES_MS = {
  /** A request's head, from the connection or its first byte. */
  head: 10_000,
  /** A request's body, from the end of its head. */
  body: 5_000,
  /** A whole request, without the wait for its body. */
  request: 20_000,
  /** An answer, until the client has taken all of it. */
  answer: 20_000,
  policy: 2_000,
  identity: 5_000,
  /** The identity provider's keys, after a fetch of them has failed. */
  identityAgain: 500,
  firestore: 10_000,
  kms: 10_000,
  stripe: 20_000,
  /** Retries stop once Firestore or the KMS has answered nothing for this long. */
  outage: 2_000,
  /** The deadline of a call during such an outage; the client tries to connect once a second. */
  reconnect: 1_500,
  readiness: 2_000,
} as const;
