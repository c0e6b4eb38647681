interface FindingRow {
  /** One or two sentences for operators. */
  readonly meaning: string;
  /** What the operator must do. */
  readonly action: string;
}

/** Every kind of finding. The table of findings in docs/operate.md is generated from this object. */
export const FINDINGS = {
  'rotation-lost': {
    meaning:
      'The store has lost a rotation of a `software` or `hsm` key: the KMS has newer enabled versions than the stored key. The service encrypts with an old version. If the KMS destroys the old version, `encrypt` fails.',
    action:
      'Run the program with `--adopt` before `destroy-due-keys` runs. The stored key then lists the newer versions, and the service encrypts with the newest. Their version numbers are new, so no number is used twice.',
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
    action: 'Find out why. Then run the printed command.',
  },
  'version-missing': {
    meaning:
      'The stored key lists a version as enabled, but the KMS does not have that version, or has it in another state, which is printed.',
    action: 'Check that the settings name the right key ring.',
  },
  'version-unlisted': {
    meaning:
      'The KMS has an enabled version that the stored key does not list and that is older than the newest version of the stored key. This happens if a key is rotated after a restore, but before `--adopt`. Ciphertext of the version can still be decrypted.',
    action:
      'Keep the version while the tenant needs its ciphertext. If nobody needs it, destroy the version in the KMS.',
  },
  'crypto-key-missing': {
    meaning: 'The KMS does not have the CryptoKey of a stored key.',
    action: 'Check that the settings name the right key ring.',
  },
  'data-key-unopened': {
    meaning: 'The wrapped root cannot unwrap the data key of an enabled version.',
    action:
      'Run the printed commands, which restore or enable versions of the wrapped root. If all versions of the root are enabled, the stored data key is damaged.',
  },
  'crypto-key-unknown': {
    meaning:
      'The key ring has a CryptoKey with key material, but no stored key has its name. After a restore, these CryptoKeys belong to keys that were created after the backup.',
    action: 'Keep the CryptoKey until you are sure that no lost key needs it. Google charges for its versions.',
  },
  'count-differs': {
    meaning:
      "A stored count of a tenant's objects is wrong. The tenant's limits are then wrong. If `free_keys` is wrong, so is the tenant's right to a free key.",
    action: 'Set the count to the printed number of objects.',
  },
  'name-unclaimed': {
    meaning: 'The name of a key, container or firewall is not reserved, so another object can get the same name.',
    action: 'Create the printed document.',
  },
  'name-held': {
    meaning: 'A name is reserved for an object that does not exist or has another name.',
    action: 'Delete the printed document.',
  },
  'operations-differ': {
    meaning:
      "A key's count of operations in a month differs from the number of its audit events. An operation that was answered with `500` because its audit event could not be stored is counted, but has no event.",
    action:
      'If someone set the count by hand, do nothing. Otherwise compare both numbers with the request log before the month is closed.',
  },
  'customer-differs': {
    meaning:
      "Stripe's customer of a tenant is not the stored one, or Stripe does not have the customer, or the store does not have the tenant.",
    action:
      'If the stored tenant has no customer, run the program with `--adopt`. Otherwise a later checkout creates a second customer, and `close-month` does not find the invoices of the first. If there are two customers, or the tenant is gone, cancel the wrong subscription at Stripe.',
  },
  'subscription-differs': {
    meaning:
      'Stripe has another subscription or status than the store. Whether the tenant may use paid keys may be decided wrongly.',
    action: 'Run the program with `--adopt`, or wait for the next webhook.',
  },
  'month-open': {
    meaning: 'Stripe has an invoice for a month that is still open in the store.',
    action:
      'Nothing: `close-month` finds the invoice and creates no other. It stores its own statement, which can differ from the invoice.',
  },
  'month-not-invoiced': {
    meaning: 'A closed month has costs, but Stripe has no invoice for it, or only a draft.',
    action: 'Invoice the month, or finalize the draft, at Stripe.',
  },
  'month-invoiced-twice': {
    meaning: 'Invoices charge the same tier of the same month twice.',
    action: 'Void or refund one of the invoices at Stripe.',
  },
  'invoice-differs': {
    meaning: 'The statement of a closed month and its invoice have different amounts.',
    action: 'Compare the amounts, and correct the invoice at Stripe.',
  },
} as const satisfies Record<string, FindingRow>;

export type FindingKind = keyof typeof FINDINGS;
