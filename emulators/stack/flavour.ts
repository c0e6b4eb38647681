/** What is configured. The service has no routes for what is not. */
export interface Flavour {
  readonly billing: boolean;
  readonly console: boolean;
  readonly wrappedRoot: boolean;
  readonly transit: boolean;
  /** Whether the service refuses every caller. */
  readonly closed?: boolean;
  /** Whether the service soon gives up on Firestore and the KMS. A deployed function cannot be told to. */
  readonly shortDeadlines?: boolean;
}
