interface FindingRow {
  /** One or two sentences for operators. */
  readonly meaning: string;
  /** What the operator must do. */
  readonly action: string;
}

/** Every kind of finding. The table of findings in docs/restore.md is generated from this object. */
export const FINDINGS = {
  'rotation-lost': {
    meaning:
      'The store has lost a rotation of a `software` or `hsm` key: the KMS has newer enabled versions than the stored key. The service encrypts with an old version. If the KMS destroys the old version, `encrypt` fails.',
    action:
      'Before `destroy-due-keys` runs, run `check-store.ts --adopt`. The stored key then lists the newer versions, and the service encrypts with the newest version. The newer versions get new version numbers, so no number is used twice.',
  },
  'version-scheduled': {
    meaning: 'The stored key lists a version as enabled, but the KMS will destroy that version at the printed time.',
    action: 'If the tenant did not ask for the destruction, run the printed commands before that time.',
  },
  'version-destroyed': {
    meaning:
      'The stored key lists a version as enabled, but the KMS destroyed that version at the printed time. Everything that was encrypted with the version is lost.',
    action: 'Tell the tenant. If the version is the newest one of the key, the tenant must rotate the key.',
  },
  'version-disabled': {
    meaning: 'The stored key lists a version as enabled, but someone disabled that version in the KMS.',
    action: 'Find out why someone disabled the version. Then run the printed command, which enables it.',
  },
  'version-missing': {
    meaning:
      'The stored key lists a version as enabled, but the KMS does not have that version, or has it in another state. The program prints that state.',
    action: 'Check that the settings name the right key ring.',
  },
  'version-unlisted': {
    meaning:
      'The KMS has an enabled version that the stored key does not list, although the stored key lists a newer version. This happens if a key is rotated after a restore, but before someone runs `check-store.ts --adopt`. Ciphertext of the unlisted version can still be decrypted.',
    action:
      'Keep the version while the tenant needs its ciphertext. If nobody needs it, destroy the version in the KMS.',
  },
  'crypto-key-missing': {
    meaning: 'The KMS does not have the CryptoKey of a stored key.',
    action: 'Check that the settings name the right key ring.',
  },
  'data-key-unopened': {
    meaning: 'The wrapped root cannot unwrap the data key of an enabled version of a `free` or `wrapped` key.',
    action:
      'Run the printed commands, which restore or enable versions of the wrapped root. If all versions of the wrapped root are enabled, the stored data key is damaged.',
  },
  'crypto-key-unknown': {
    meaning:
      'The key ring has a CryptoKey with key material, but the store has no key with its name. After a restore, such CryptoKeys belong to keys that were created after the backup.',
    action: 'Keep the CryptoKey until you are sure that no lost key needs it. Google charges for its versions.',
  },
  'count-differs': {
    meaning:
      "A stored count of a tenant's objects is wrong, so the service enforces the tenant's limit on these objects wrongly. If `free_keys` is wrong, the service may refuse the tenant a `free` key or allow a second `free` key.",
    action: 'In the store, set the count to the printed number of objects.',
  },
  'name-unclaimed': {
    meaning: 'The name of a key, container or firewall is not reserved, so another object can get the same name.',
    action: 'In the store, create the printed document.',
  },
  'name-held': {
    meaning: 'A name is reserved for an object that does not exist or has another name.',
    action: 'In the store, delete the printed document.',
  },
  'operations-differ': {
    meaning:
      "A key's count of operations in a month differs from the number of its audit events. A possible cause: the service counted an operation, but could not store its audit event, and answered `500`.",
    action:
      'If someone set the count by hand, do nothing. Otherwise compare both numbers with the request log before the month is closed.',
  },
  'customer-differs': {
    meaning:
      "Stripe does not have the stored customer of a tenant. Or a customer at Stripe has invoices or an open subscription, but is not stored as its tenant's customer: the store does not have the tenant, has another customer for it, or has none.",
    action:
      'If the store has the tenant but no customer for it, run `check-store.ts --adopt`. Without that, a later checkout creates a second customer, and `close-month` does not find the invoices of the first customer. If the tenant has two customers, or the store does not have the tenant, cancel the wrong subscription at Stripe.',
  },
  'subscription-differs': {
    meaning:
      'For a tenant, the store has another subscription or another status of the subscription than Stripe. The service may then wrongly allow or refuse the use of paid keys.',
    action: 'Run `check-store.ts --adopt`, or wait for the next webhook from Stripe.',
  },
  'month-open': {
    meaning: 'Stripe has an invoice for a month that is still open in the store.',
    action:
      'Nothing: `close-month` closes the month, finds the invoice and does not create another one. But the statement that it stores can differ from the invoice.',
  },
  'month-not-invoiced': {
    meaning: 'A closed month has costs, but Stripe has no invoice for it, or only a draft.',
    action: 'At Stripe, create an invoice for the month, or finalize the draft.',
  },
  'month-invoiced-twice': {
    meaning: 'The invoices of a tenant charge the same tier in the same month twice.',
    action: 'At Stripe, void or refund one of the invoices.',
  },
  'invoice-differs': {
    meaning: 'The stored statement of a closed month and the invoice at Stripe have different amounts.',
    action: 'Compare both amounts, and correct the invoice at Stripe.',
  },
} as const satisfies Record<string, FindingRow>;

export type FindingKind = keyof typeof FINDINGS;
