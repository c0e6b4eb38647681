/** In milliseconds. */
export const DEADLINES_MS = {
  /** For a request's head, from the connection or from the first byte. */
  head: 10_000,
  /** For a request's body, from the end of the head. */
  body: 5_000,
  /** For a request, without the wait for its body. */
  request: 20_000,
  /** For the client to read the whole answer. */
  answer: 20_000,
  policy: 2_000,
  identity: 5_000,
  /** For the next fetch of the identity provider's keys after a failed fetch. */
  identityAgain: 500,
  firestore: 10_000,
  kms: 10_000,
  stripe: 20_000,
  /** After this long without any response, retries of Firestore or the KMS stop. */
  outage: 2_000,
  /** For a call to Firestore or the KMS after that time. The client reconnects once a second. */
  reconnect: 1_500,
  readiness: 2_000,
} as const;
