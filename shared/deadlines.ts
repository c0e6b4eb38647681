/** The deadlines of requests and calls, in milliseconds. */
export const DEADLINES_MS = {
  /** For the arrival of a request's head, measured from the connection or from the head's first byte. */
  head: 10_000,
  /** For the arrival of a request's body, measured from the end of the head. */
  body: 5_000,
  /** For the handling of a request, without the wait for its body. */
  request: 20_000,
  /** For the client's reading of the whole answer. */
  answer: 20_000,
  /** For the client's reading of a report that is read while it is sent. A function may take 60 seconds. */
  report: 60_000,
  policy: 2_000,
  identity: 5_000,
  /** For the next fetch of the identity provider's keys after a failed fetch. */
  identityAgain: 500,
  firestore: 10_000,
  kms: 10_000,
  stripe: 20_000,
  /** If Firestore or the KMS has not responded for this long, its calls are repeated only for `reconnect`. */
  outage: 2_000,
  /** For a call during an outage of Firestore or the KMS. The client reconnects once a second. */
  reconnect: 1_500,
  readiness: 2_000,
  /** For the next use of an idle HTTP connection. A connection that died silently is then not used again. */
  idle: 4_000,
  /** For all that a process does after SIGTERM. Cloud Run kills it after ten seconds. */
  drain: 8_000,
  /** For a process's last metrics. Without it, a receiver that does not answer would delay each exit. */
  beforeExit: 1_000,
} as const;
