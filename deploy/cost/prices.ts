/**
 * List prices in US dollars in us-central1, without free quotas, for one unit. docs/performance.md has the same prices,
 * with their sources.
 */
export const PRICES = {
  'Firestore read': 0.03 / 100_000,
  'Firestore write': 0.09 / 100_000,
  'Firestore GiB': 0.15,
  'KMS call': 0.03 / 10_000,
  'KMS version, SOFTWARE': 0.06,
  'KMS version, HSM': 1,
  'gateway call': 3 / 1_000_000,
  'Cloud Run request': 0.4 / 1_000_000,
  'vCPU second': 0.000024,
  'GiB second': 0.0000025,
  'log GiB': 0.5,
  'alert condition': 1.5,
  'Cloud Scheduler job': 0.1,
  'secret version': 0.06,
  'forwarding rule': 0.025 * 730,
} as const;
