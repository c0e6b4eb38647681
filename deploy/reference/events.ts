import type { EventName } from '../../shared/events.ts';

interface Meaning {
  /** What happened, in one or two sentences for operators. */
  readonly meaning: string;
  /** What the operator must do, if anything. */
  readonly action?: string;
}

const REDO =
  'Nothing. If you restore an older backup, `operator/after-restore.ts` reads this line and [makes the change again](restore.md#changes-that-must-not-come-undone).';
const LOST =
  'Nothing. If you restore an older backup, `operator/after-restore.ts` reads this line and [reports what is lost](restore.md#changes-that-must-not-come-undone).';

/** What each log event means. */
export const MEANINGS: Readonly<Record<EventName, Meaning>> = {
  'request answered': {
    meaning:
      "The service answered a request with a status below 500, or answered `GET /health/ready` with any status. If it refused an access token or a workload's ID token, `reason` says why.",
  },
  'request failed': {
    meaning:
      "The service answered a request with status 500 or 503. If the instance's share of the KMS's quota is used up, `reason` is `KMS share used up`.",
    action: 'Read `code` and `error`, then follow the [runbook](reliability.md#runbooks) of the part that failed.',
  },
  'request refused before routing': {
    meaning:
      'The service refused a request that was malformed, had too large headers, arrived too slowly, or used `CONNECT`.',
  },
  'request not from the configured invoker': {
    meaning: 'A request came from neither the gateway nor the scheduler. The function refused it with 401.',
    action:
      'If the function refuses every request, check `INVOKER_SERVICE_ACCOUNT` and `INVOKER_AUDIENCE`. Otherwise find out who calls the function directly.',
  },
  'request not through the load balancer': {
    meaning:
      "A request came to the gateway's own address, or with another `X-Balancer-Secret` than the load balancer sends. The function refused it with 401.",
    action:
      'If the function refuses every request, deploy, because the balancer and the functions have different secrets. Otherwise, callers use the address of the gateway instead of your domain.',
  },
  'readiness check failed': {
    meaning:
      '`GET /health/ready` called a dependency, which failed or did not answer in time. `part` is the dependency: `firestore`, `kms` or `policy`, the policy decision point.',
    action: 'Follow the [runbook](reliability.md#runbooks) of the dependency. Do not restart the service.',
  },
  'storing last_used_at failed': {
    meaning: 'The service could not store when an API key was last used. This did not affect the request.',
  },
  'reading the keys of a workload issuer failed': {
    meaning:
      'The service could not read the public keys of a workload issuer. Keys in memory work for ten minutes after they were read. Then the service answers 503 to the tokens of this `issuer`.',
    action: 'Check that the service reaches the issuer, and that `issuer` in `WORKLOAD_ISSUERS` is correct.',
  },
  'firewall opened': {
    meaning:
      'A member changed a firewall, which now allows addresses that it refused before. `target_id` is the firewall, `user_id` the member.',
  },
  'API key access widened': {
    meaning:
      'A member created an API key with at least one allowed action, allowed an existing API key another action, key or workload, let it expire later, or removed or replaced its firewall. `target_id` is the API key, `user_id` the member.',
  },
  'role raised': {
    meaning: 'An owner gave a member a role with more rights. `target_id` is the member, `user_id` the owner.',
  },
  'member invited': {
    meaning: 'An owner invited a person to the tenant. `target_id` is the invitation, `user_id` the owner.',
  },
  'API key revoked': {
    meaning: 'A member or the operator revoked an API key. `target_id` is the API key.',
    action: REDO,
  },
  'API key access restricted': {
    meaning:
      'A member took an action, a key or a workload from an API key, let it expire earlier, or gave it a firewall or a different firewall. `target_id` is the API key. `allowed_actions`, `key_ids`, `firewall_id`, `expires_at` and `federations` are its restrictions after the change.',
    action: REDO,
  },
  'firewall tightened': {
    meaning:
      'A member changed a firewall, which now refuses addresses that it allowed before. `target_id` is the firewall, `allowed_ips` its networks after the change.',
    action: REDO,
  },
  'member removed': {
    meaning:
      'An owner removed a member from the tenant, or a member left it. `target_id` is the member. `invitation_ids` are the invitations from this member, which the service revoked at the same time.',
    action: REDO,
  },
  'role lowered': {
    meaning:
      'An owner gave a member a role with fewer rights. `target_id` is the member, `role` the new role. `invitation_ids` are the invitations from this member, which the service revoked at the same time.',
    action: REDO,
  },
  'invitation used': {
    meaning:
      'A person accepted an invitation. `target_id` is the invitation, `user_id` the new member, `role` the role of the new member.',
    action: REDO,
  },
  'invitation revoked': {
    meaning: 'An owner revoked an invitation. `target_id` is the invitation.',
    action: REDO,
  },
  'key created': {
    meaning: 'The service created a key. `target_id` is the key.',
    action: LOST,
  },
  'key rotated': {
    meaning:
      'The service rotated a key. `target_id` is the key. `primary_version` and `enabled_versions` are its versions after the rotation.',
    action: LOST,
  },
  'key deletion requested': {
    meaning:
      'A caller deleted a key, which is now pending deletion. `target_id` is the key, `delete_requested_at` the time of the request. After `destroy_after`, the service destroys the key.',
    action: REDO,
  },
  'key restored': {
    meaning: 'A caller restored a key that was pending deletion. `target_id` is the key.',
    action: REDO,
  },
  'key frozen': {
    meaning:
      'A member froze a key, which nobody can use or rotate until it is thawed. `target_id` is the key, `frozen_at` the time of the request.',
    action: REDO,
  },
  'key thawed': {
    meaning: 'A member thawed a frozen key. `target_id` is the key.',
    action: REDO,
  },
  'key destroyed': {
    meaning:
      'The service destroyed a key, for a `destroy` request or because its seven days were over. `target_id` is the key.',
    action: REDO,
  },
  'key creation cleanup failed; destroy-due-keys retries it': {
    meaning:
      'The service could not create a key, and could not undo the attempt. The name of the key is still reserved, and the key still counts towards the limits of the tenant.',
    action: 'Nothing: after ten minutes, `destroy-due-keys` frees the name and corrects the count.',
  },
  'finishing a rotation failed; destroy-due-keys retries it': {
    meaning:
      'A rotated key works and the request succeeded, but until the retry a version that the rotation retires may still decrypt. The KMS may also still have the old version as its primary version: then `GET /v1/keys/{id}/rotation` counts operations with the newest version as operations with an older version.',
    action:
      'Nothing: `destroy-due-keys` tries again after ten minutes. If the event repeats, read `error`, and check that the functions may update CryptoKeys.',
  },
  'Stripe event ignored: customer does not match the tenant': {
    meaning:
      'A webhook from Stripe names a tenant, and a customer that does not belong to this tenant. The service changed nothing.',
    action:
      'In Stripe, look up to which tenant the customer in `customer_id` belongs. Someone may have edited the metadata of a subscription.',
  },
  'refreshing the billing standing failed for a tenant': {
    meaning:
      "The service could not read a tenant's subscription from Stripe, as it does once a day and before it closes a month. It closes the month anyway.",
    action: 'Check that Stripe answers. The next run of `close-month` reads the subscription again.',
  },
  'removing a tenant that was left failed; the next run retries it': {
    meaning: 'The last member of an empty tenant has left, but the service could not remove the tenant.',
    action: 'If the line repeats for the same tenant, look for its cause in the line.',
  },
  'closing the month failed for a tenant; the next run retries it': {
    meaning:
      'The service could not close a month of a tenant. It tries again after growing intervals of up to six hours.',
    action: 'Read `error`. Tenants are not charged twice, even after retries.',
  },
  'storing the next attempt to close a month failed; the next run retries it': {
    meaning:
      'The service could not close a month of a tenant, and could not store the time of the next attempt. The next run tries again.',
  },
  'close-month finished': {
    meaning:
      'A run of `close-month` ended, and failed for no tenant. If it ran out of time, the next run closes the remaining months.',
  },
  'close-month finished with failures': {
    meaning:
      'A run of `close-month` ended, but failed for some tenants, whose months are still open. `failed` is the number of these tenants.',
    action:
      'Look for the log lines `closing the month failed for a tenant; the next run retries it`, which have the cause.',
  },
  'key destruction failed; the next run retries it': {
    meaning:
      '`destroy-due-keys` could not destroy a key, or could not finish an interrupted creation or rotation of a key. It tries again after growing intervals of up to one hour.',
    action:
      'Read `error`. Check that the KMS answers, and that the account of `destroy-due-keys` may destroy key versions.',
  },
  'storing the next attempt to destroy a key failed; the next run retries it': {
    meaning:
      'The service could not destroy a key, and could not store the time of the next attempt. The next run tries again.',
  },
  'destroy-due-keys finished': {
    meaning:
      'A run of `destroy-due-keys` ended, and failed for no key. If it ran out of time, the next run continues with the remaining keys.',
  },
  'destroy-due-keys finished with failures': {
    meaning: 'A run of `destroy-due-keys` ended, but failed for some keys. `failed` is the number of these keys.',
    action: 'Look for the log lines `key destruction failed; the next run retries it`, which have the cause.',
  },
  'sealing failed for a tenant; the next run retries it': {
    meaning:
      "`seal-audit` could not seal a tenant's newest audit events. It tries again after growing intervals of up to one hour.",
    action:
      'Read `error`. If `error` says that a document is missing or inconsistent, see [sealing failures](operate.md#sealing-failures).',
  },
  'checkpoint signed': {
    meaning:
      "`seal-audit` sealed a part of a tenant's audit log. This line has the signed `checkpoint`. `seal-audit` writes the line before anyone can read the seal.",
    action:
      'Keep these lines for longer than backups. After a [restore](restore.md#restoring), they show which audit events were lost.',
  },
  'restoration of an audit log signed': {
    meaning:
      "After a restore, `seal-audit` signed a statement about a tenant's audit log: the log had `lost_size` entries, and has only the first `from_size` of them now. `branch` is the number of the statement.",
    action:
      'Before you open the service, [compare the statement](restore.md#audit-logs-after-a-restore) with the output of `restart-logs.ts`. Then tell the tenant about the restore: `esk audit verify` reports the restore until someone acknowledges it.',
  },
  'restored audit log not sealed while the service is open': {
    meaning:
      "A tenant's audit log was restored from a backup, and `seal-audit` has not yet signed a statement about the restore. While the service is open, `seal-audit` does not sign the statement or seal this log.",
    action: 'Close the service with `npm run deploy -- --closed`, run `seal-audit`, then open the service.',
  },
  'storing the next attempt to seal a log failed; the next run retries it': {
    meaning:
      "The service could not seal a tenant's audit log, and could not store the time of the next attempt. The next run tries again.",
  },
  'sealing pause longer than an hour ignored': {
    meaning:
      'Someone wrote into the database that sealing pauses for more than an hour. The service itself never writes such a long pause.',
    action: "Find out who writes to the database. The service ignored the pause and sealed the tenant's events.",
  },
  'audit event stored after its period was sealed': {
    meaning:
      'The service stored an audit event more than two minutes late, or someone else added it to the database. `esk audit verify` reports the event.',
    action: 'Find out whether an instance stalled. If no instance stalled, someone else is writing to the database.',
  },
  'sealing marks missing for unsealed audit events': {
    meaning:
      "Someone removed a tenant's sealing marks, the documents that tell `seal-audit` which tenants have unsealed events. `seal-audit` seals the tenant's events anyway.",
    action:
      'Find out who writes to the database. One exception: after you first turn on sealing, this event is normal once for each tenant.',
  },
  'audit events unsealed for more than an hour': {
    meaning: 'A tenant has audit events that `seal-audit` skipped. Someone can rewrite them without a trace.',
    action: 'See [when somebody stops sealing](audit-format.md#when-somebody-stops-sealing).',
  },
  'comparing events with seals failed for a tenant': {
    meaning:
      "`seal-audit` could not check whether a tenant's audit events are sealed, because it could not read them or they are malformed.",
    action: 'Read `error`. If the event repeats, inspect the documents of the tenant in Firestore.',
  },
  'comparing events with seals ran out of time': {
    meaning:
      '`seal-audit` had too little time to check for every tenant whether its audit events are sealed. The next run starts with another tenant.',
    action: 'If the event repeats, look for audit events of tenants that do not exist, or give `seal-audit` more time.',
  },
  'seal-audit finished': {
    meaning:
      'A run of `seal-audit` ended, and failed for no tenant. If it ran out of time, the next run seals the remaining logs.',
  },
  'seal-audit finished with failures': {
    meaning:
      'A run of `seal-audit` ended, but failed for some tenants, whose newest audit events are not sealed. `failed` is the number of these tenants.',
    action: 'Look for the log lines `sealing failed for a tenant; the next run retries it`, which have the cause.',
  },
  'scheduled run failed': {
    meaning: 'A run of a scheduled function ended with an error. The next run continues where this run stopped.',
    action: 'Read `error`. The usual cause is that Firestore did not answer.',
  },
  'metrics export failed': {
    meaning: 'The receiver of the metrics did not accept them. This does not affect requests.',
    action: 'Check `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT` and the receiver. `error` has the HTTP status.',
  },
  'process exited: no Google Cloud credentials': {
    meaning: 'A function found no Google Cloud credentials when it started, and ended. `reason` says where it looked.',
    action: 'Check `GOOGLE_APPLICATION_CREDENTIALS` or the service account of the function.',
  },
  'process exited: unhandled error': {
    meaning:
      'A process of the service ended with exit code 1 because of an unhandled error. The platform starts a new process.',
    action: 'This is a bug. Report it, and include `error`.',
  },
};
