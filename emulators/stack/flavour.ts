/** The features that are configured. The service has no routes for other features. */
export interface Flavour {
  readonly billing: boolean;
  readonly console: boolean;
  readonly wrappedRoot: boolean;
  readonly transit: boolean;
  readonly closed?: boolean;
  /** Whether the service uses short deadlines for Firestore and the KMS. Deployed functions ignore this setting. */
  readonly shortDeadlines?: boolean;
}
