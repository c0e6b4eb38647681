interface EventRow {
  readonly severity: 'INFO' | 'NOTICE' | 'WARNING' | 'ERROR';
  /** One or two sentences for operators. */
  readonly meaning: string;
  /** What the operator must do, if anything. */
  readonly action?: string;
}

const REDO =
  'Nothing. After you [restore a backup](operate.md#changes-that-must-not-come-undone), the change is made again from this line.';

/** Every log event. The name is the line's `message`; variable data is in the line's fields. */
export const EVENTS = {
  'request answered': {
    severity: 'INFO',
    meaning: 'A request was answered with a status below 500, or `GET /health/ready` was answered with any status.',
  },
  'request failed': {
    severity: 'ERROR',
    meaning: 'A request was answered with status 500 or 503.',
    action: 'Read `code` and `error`, then follow the [runbook](reliability.md#runbooks) of the part that failed.',
  },
  'request refused before routing': {
    severity: 'INFO',
    meaning: 'The request was malformed, its headers were too large, it arrived too slowly, or it used `CONNECT`.',
  },
  'request not from the configured invoker': {
    severity: 'WARNING',
    meaning: 'Neither the gateway nor the scheduler sent the request. It was refused with 401.',
    action:
      'If every request is refused, check `INVOKER_SERVICE_ACCOUNT` and `INVOKER_AUDIENCE`. Otherwise find out who calls the function directly.',
  },
  'readiness check failed': {
    severity: 'WARNING',
    meaning:
      'A dependency failed the check of `GET /health/ready`, or did not answer in time. `part` is `firestore`, `kms` or `policy`.',
    action: 'Follow the [runbook](reliability.md#runbooks) of that part. Do not restart the service.',
  },
  'storing last_used_at failed': {
    severity: 'WARNING',
    meaning: 'The time at which an API key was last used was not stored. The request itself was not affected.',
  },
  'firewall opened': {
    severity: 'NOTICE',
    meaning:
      'A member changed the networks of a firewall so that it allows addresses that it did not allow before. `target_id` is the firewall, `user_id` the member.',
  },
  'API key access widened': {
    severity: 'NOTICE',
    meaning:
      'A member created an API key that has allowed actions, or gave one an action or a key, or removed or replaced its firewall. `target_id` is the API key, `user_id` the member.',
  },
  'role raised': {
    severity: 'NOTICE',
    meaning: 'An owner gave a member a role that may do more. `target_id` is the member, `user_id` the owner.',
  },
  'member invited': {
    severity: 'NOTICE',
    meaning: 'An owner invited a person to the tenant. `target_id` is the invitation, `user_id` the owner.',
  },
  'API key revoked': {
    severity: 'INFO',
    meaning: 'An API key was revoked. `target_id` is the API key.',
    action: REDO,
  },
  'API key access restricted': {
    severity: 'INFO',
    meaning:
      'An API key lost an action or a key, or was put behind a firewall or behind another one. `target_id` is the API key; `allowed_actions`, `key_ids` and `firewall_id` are its restrictions after the change.',
    action: REDO,
  },
  'firewall tightened': {
    severity: 'INFO',
    meaning:
      'A firewall no longer allows some addresses that it allowed before. `target_id` is the firewall, `allowed_ips` its networks after the change.',
    action: REDO,
  },
  'member removed': {
    severity: 'INFO',
    meaning:
      'A member was removed from the tenant, or left it. `target_id` is the member; `invitation_ids` are the invitations that were revoked with it.',
    action: REDO,
  },
  'role lowered': {
    severity: 'INFO',
    meaning:
      'A member got a role that may do less. `target_id` is the member, `role` the new role; `invitation_ids` are the invitations that were revoked with it.',
    action: REDO,
  },
  'invitation used': {
    severity: 'INFO',
    meaning:
      'A person accepted an invitation. `target_id` is the invitation, `user_id` the new member, `role` their role.',
    action: REDO,
  },
  'invitation revoked': {
    severity: 'INFO',
    meaning: 'An invitation was revoked. `target_id` is the invitation.',
    action: REDO,
  },
  'key created': {
    severity: 'INFO',
    meaning: 'A key was created. `target_id` is the key, as for the other events of keys.',
    action: REDO,
  },
  'key rotated': {
    severity: 'INFO',
    meaning:
      'A key got a new primary version. `primary_version` and `enabled_versions` are its versions after the rotation.',
    action: REDO,
  },
  'key deletion requested': {
    severity: 'INFO',
    meaning: 'A key is pending deletion. `delete_requested_at` and `destroy_after` are its dates.',
    action: REDO,
  },
  'key restored': {
    severity: 'INFO',
    meaning: 'A key pending deletion was restored.',
    action: REDO,
  },
  'key destroyed': {
    severity: 'INFO',
    meaning: 'A key was destroyed, by a request or on schedule.',
    action: REDO,
  },
  'key creation cleanup failed; destroy-due-keys retries it': {
    severity: 'ERROR',
    meaning: 'A key could not be created. Its name is still reserved, and it still counts towards the limits.',
    action: 'Nothing: `destroy-due-keys` corrects both after ten minutes.',
  },
  'making a key version primary in the KMS failed; destroy-due-keys retries it': {
    severity: 'ERROR',
    meaning:
      'A key was rotated and works. Until the retry, the preview of a rotation counts operations on its newest version as operations on an older version.',
    action:
      'Nothing: `destroy-due-keys` retries it after ten minutes. If it goes on, check that the functions may update CryptoKeys.',
  },
  'Stripe event ignored: customer does not match the tenant': {
    severity: 'WARNING',
    meaning: 'A webhook names a tenant and a customer that do not belong together. Nothing was changed.',
    action: 'Compare `customer_id` with the tenant in Stripe. Someone may have edited the metadata of a subscription.',
  },
  'refreshing the billing standing failed for a tenant': {
    severity: 'WARNING',
    meaning:
      "The service could not read the tenant's subscription from Stripe before closing a month. It closes the month anyway.",
    action:
      'Check that Stripe answers. The service reads the subscription again when the next webhook arrives or the next month is closed.',
  },
  'closing the month failed for a tenant; the next run retries it': {
    severity: 'ERROR',
    meaning: 'The service could not close a month of the tenant. It retries at growing intervals, up to six hours.',
    action: 'Read `error`. Nothing is charged twice.',
  },
  'storing the next attempt to close a month failed; the next run retries it': {
    severity: 'ERROR',
    meaning: 'After a failure, the time of the next attempt could not be stored.',
  },
  'close-month finished': {
    severity: 'INFO',
    meaning: 'No tenant failed. If time ran out, the next run continues with the rest.',
  },
  'close-month finished with failures': {
    severity: 'ERROR',
    meaning: 'Some tenants still have open months; `failed` is the number of these tenants.',
    action: 'Look for `closing the month failed for a tenant; the next run retries it`.',
  },
  'key destruction failed; the next run retries it': {
    severity: 'ERROR',
    meaning:
      'A key could not be destroyed, or an interrupted creation or rotation could not be finished. The service retries at growing intervals, up to one hour.',
    action: 'Read `error`. Check that the KMS answers and that `destroy-due-keys` may destroy versions.',
  },
  'storing the next attempt to destroy a key failed; the next run retries it': {
    severity: 'ERROR',
    meaning: 'After a failure, the time of the next attempt could not be stored.',
  },
  'destroy-due-keys finished': {
    severity: 'INFO',
    meaning: 'No key failed. If time ran out, the next run continues with the rest.',
  },
  'destroy-due-keys finished with failures': {
    severity: 'ERROR',
    meaning: 'Some keys still need work; `failed` is the number of these keys.',
    action: 'Look for `key destruction failed; the next run retries it`.',
  },
  'sealing failed for a tenant; the next run retries it': {
    severity: 'ERROR',
    meaning: "The service could not make the tenant's next seal. It retries at growing intervals, up to one hour.",
    action:
      'Read `error`. If it says that a document is missing or inconsistent, see [sealing failures](operate.md#sealing-failures).',
  },
  'checkpoint signed': {
    severity: 'INFO',
    meaning:
      "A part of a tenant's audit log is sealed. The line has the signed `checkpoint`, and is written before anyone can read the seal.",
    action:
      'Keep these lines for longer than backups. After a [restore](operate.md#restoring) they tell what was lost.',
  },
  'restoration of an audit log signed': {
    severity: 'WARNING',
    meaning:
      "After a restore, `seal-audit` signed that a tenant's audit log lost its entries from `from_size` on. It had `lost_size` entries. `branch` is the number of the statement.",
    action:
      '[Compare it](operate.md#audit-logs-after-a-restore) before you open the service. Then tell the tenant about the restore: `esk audit verify` reports it until someone acknowledges it.',
  },
  'restored audit log not sealed while the service is open': {
    severity: 'ERROR',
    meaning:
      "A tenant's audit log was restored from a backup, and `seal-audit` has not yet signed a statement about that. While the service is open, it signs nothing of this log.",
    action: 'Run `npm run deploy -- --closed`, run `seal-audit`, then open the service.',
  },
  'storing the next attempt to seal a log failed; the next run retries it': {
    severity: 'ERROR',
    meaning: 'After a failure, the time of the next attempt could not be stored.',
  },
  'sealing pause longer than an hour ignored': {
    severity: 'ERROR',
    meaning:
      'Someone wrote a sealing pause of more than an hour into the database. The service itself never pauses longer than that.',
    action: "Find out who writes to the database. The service ignored the pause and sealed the tenant's events.",
  },
  'audit event stored after its period was sealed': {
    severity: 'ERROR',
    meaning: 'An event was stored more than two minutes late, or someone added it. `esk audit verify` reports it.',
    action: 'Find out whether an instance stalled. If none did, something else is writing to the database.',
  },
  'sealing marks missing for unsealed audit events': {
    severity: 'ERROR',
    meaning:
      "Someone removed a tenant's sealing marks: documents that tell `seal-audit` which tenants have unsealed events. The tenant is sealed anyway.",
    action:
      'Find out who writes to the database. When sealing is first turned on, this event is normal once per tenant.',
  },
  'audit events unsealed for more than an hour': {
    severity: 'ERROR',
    meaning: 'A tenant has events that sealing skips. They can be rewritten without a trace.',
    action: 'See [when somebody stops sealing](audit.md#when-somebody-stops-sealing).',
  },
  'comparing events with seals failed for a tenant': {
    severity: 'ERROR',
    meaning: "A tenant's events could not be read or are malformed. It is unknown whether they are sealed.",
    action: 'Read `error`. If the event repeats, inspect the documents of the tenant in Firestore.',
  },
  'comparing events with seals ran out of time': {
    severity: 'ERROR',
    meaning:
      'The run ended before it had compared the events of every tenant with the seals. The next run starts with another tenant.',
    action:
      'If the event repeats, look in the audit log for tenants that do not exist, or give `seal-audit` more time.',
  },
  'seal-audit finished': {
    severity: 'INFO',
    meaning: 'No tenant failed. If time ran out, the next run continues with the rest.',
  },
  'seal-audit finished with failures': {
    severity: 'ERROR',
    meaning: 'Some tenants still have unsealed events; `failed` is the number of these tenants.',
    action: 'Look for `sealing failed for a tenant; the next run retries it`.',
  },
  'scheduled run failed': {
    severity: 'ERROR',
    meaning: 'A run of a scheduled function ended with an error. The next run starts where it stopped.',
    action: 'Read `error`. Usually Firestore did not answer.',
  },
  'metrics export failed': {
    severity: 'WARNING',
    meaning: 'The receiver did not accept the metrics. Requests are not affected.',
    action: 'Check `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT` and the receiver. `error` has the HTTP status.',
  },
  'process exited: no Google Cloud credentials': {
    severity: 'ERROR',
    meaning: 'A function found no credentials when it started. `reason` says where it looked.',
    action: 'Check `GOOGLE_APPLICATION_CREDENTIALS` or the service account of the function.',
  },
  'process exited: unhandled error': {
    severity: 'ERROR',
    meaning: 'The process exited with code 1 because of an unhandled error. The platform starts a new process.',
    action: 'This is a bug. Report it, and include `error`.',
  },
} as const satisfies Record<string, EventRow>;

export type EventName = keyof typeof EVENTS;
export type Severity = EventRow['severity'];
