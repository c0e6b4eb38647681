/** A condition on the metric that its filter names. */
interface Threshold {
  readonly filter: string;
  readonly minutes?: number;
  /** The condition is met while the value is over this one. */
  readonly over?: number;
  readonly align?: 'ALIGN_DELTA' | 'ALIGN_PERCENTILE_99' | 'ALIGN_NEXT_OLDER';
  readonly reduce?: 'REDUCE_SUM' | 'REDUCE_MAX' | 'REDUCE_COUNT_FALSE';
  readonly lasting?: string;
}

/** Returns the filter of a metric in metrics.ts. */
const own = (metric: string) =>
  `metric.type="logging.googleapis.com/user/encryption/${metric}" resource.type="cloud_run_revision"`;

/** Returns a condition. By default, it is met if the sum over five minutes is over 0. */
const threshold = (
  displayName: string,
  { filter, minutes = 5, over = 0, align = 'ALIGN_DELTA', reduce = 'REDUCE_SUM', lasting = '0s' }: Threshold,
) => ({
  displayName,
  conditionThreshold: {
    filter,
    aggregations: [
      { alignmentPeriod: `${minutes * 60}s`, perSeriesAligner: align, crossSeriesReducer: reduce },
    ] as const,
    comparison: 'COMPARISON_GT',
    thresholdValue: over,
    duration: lasting,
  },
});

const overdue = (displayName: string, run: string, over: number, minutes = 5) =>
  threshold(displayName, {
    filter: `${own('overdue')} metric.labels.run="${run}"`,
    ...{ over, minutes, align: 'ALIGN_PERCENTILE_99', reduce: 'REDUCE_MAX' },
  });

const promql = (displayName: string, query: string, duration = '0s') => ({
  displayName,
  conditionPrometheusQueryLanguage: { query, duration, evaluationInterval: '60s', disableMetricValidation: true },
});

/**
 * Returns a condition that is met if no run of the function finishes in the window, for `lasting` more. A function that
 * has never run meets it too, which conditionAbsent would not notice.
 */
const silent = (displayName: string, run: string, window: string, lasting: string) =>
  promql(
    displayName,
    `absent_over_time(logging_googleapis_com:user_encryption_scheduled_runs{monitored_resource="cloud_run_revision",run="${run}"}[${window}])`,
    lasting,
  );

export type Condition =
  | ReturnType<typeof threshold>
  | ReturnType<typeof promql>
  | { readonly displayName: string; readonly conditionMatchedLog: { readonly filter: string } };

/** What an alert tells, and when it is raised: if any of its conditions is met. */
interface Alert {
  readonly text: string;
  readonly conditions: readonly Condition[];
  /** Google requires a limit for an alert on log lines. */
  readonly notificationRateLimit?: { readonly period: string };
}

export const ALERTS: Readonly<Record<string, Alert>> = {
  crashes: {
    text: "A container exited with an error, ran out of memory or did not start. Read Cloud Run's system log: the line names the function and the cause.",
    conditions: [threshold('a container has crashed in the last five minutes', { filter: own('crashes') })],
  },
  'gateway-errors': {
    text: 'The gateway answers callers with errors. If the functions have no errors at the same time, the gateway itself makes them: it cannot reach or may not call a function, or its document is wrong.',
    conditions: [
      promql(
        'the gateway answered more than 5 requests with server errors in five minutes',
        'sum(increase(apigateway_googleapis_com:proxy_request_count{monitored_resource="apigateway.googleapis.com/Gateway",response_code_class="5xx"}[5m])) > 5',
      ),
      promql(
        'in ten minutes, the gateway answered more than 100 requests and more than half of all requests with 4xx',
        'sum(increase(apigateway_googleapis_com:proxy_request_count{monitored_resource="apigateway.googleapis.com/Gateway",response_code_class="4xx"}[10m])) > 100 and sum(increase(apigateway_googleapis_com:proxy_request_count{monitored_resource="apigateway.googleapis.com/Gateway",response_code_class="4xx"}[10m])) / sum(increase(apigateway_googleapis_com:proxy_request_count{monitored_resource="apigateway.googleapis.com/Gateway"}[10m])) > 0.5',
      ),
    ],
  },
  'gateway-latency': {
    text: 'Callers wait long for answers. If the alert `slow-operations` is raised too, the function is slow. Otherwise instances start too often, or the gateway is slow.',
    conditions: [
      promql(
        'the 99th percentile of the latency at the gateway was over 5 s for ten minutes',
        'histogram_quantile(0.99, sum by (le) (rate(serviceruntime_googleapis_com:api_request_latencies_bucket{monitored_resource="produced_api",service=~"encryption-.+[.]apigateway[.].+"}[5m]))) > 5',
        '600s',
      ),
    ],
  },
  'late-rows': {
    text: 'An audit event was stored after its period was sealed. Either the service stored the event more than two minutes late, or someone else added it to the database. If the tenant verifies its audit log, the verification reports the event as added. The log line `audit event stored after its period was sealed` names the tenant. Find out whether an instance stalled. If no instance stalled, someone else is writing to the database.',
    conditions: [
      threshold('in the last hour, an audit event was stored after its period was sealed', {
        filter: own('late-rows'),
        minutes: 60,
      }),
    ],
  },
  'no-closing': {
    text: '`close-month` has not finished for three hours, or has never finished. Months stay open, and the alert `overdue` does not report them. Check whether the schedule is paused, the function fails, or the function refuses the scheduler.',
    conditions: [silent('no run of close-month has finished for three hours', 'close-month', '30m', '9000s')],
  },
  'no-destruction': {
    text: '`destroy-due-keys` has not finished for 30 minutes, or has never finished. Deleted keys are kept too long, although nobody can use them. Check whether the schedule is paused, the function fails, or the function refuses the scheduler.',
    conditions: [silent('no run of destroy-due-keys has finished for 30 minutes', 'destroy-due-keys', '5m', '1500s')],
  },
  'no-sealing': {
    text: '`seal-audit` has not finished for 30 minutes, or has never finished. Unsealed audit events can be rewritten without a trace. Check whether the schedule is paused, the function fails, or the function refuses the scheduler.',
    conditions: [silent('no run of seal-audit has finished for 30 minutes', 'seal-audit', '5m', '1500s')],
  },
  overdue: {
    text: 'Destroying a key, closing a month or sealing audit events is overdue. These log lines name the key or tenant and the cause: `key destruction failed; the next run retries it`, `closing the month failed for a tenant; the next run retries it`, `sealing failed for a tenant; the next run retries it`. Other keys and tenants are not delayed.',
    conditions: [
      overdue('a key is overdue for more than an hour', 'destroy-due-keys', 3_600),
      overdue('a month is overdue for more than a day', 'close-month', 86_400, 60),
      overdue('audit events are unsealed for more than an hour', 'seal-audit', 3_600),
    ],
  },
  'quota-nearly-used': {
    text: 'A quota is nearly used up, or a share of one is: instances refuse operations with `503` before Google does. Ask Google for more quota, or raise the shares.',
    conditions: [
      threshold(
        "in five minutes, instances refused more than 5 requests because their share of the KMS's quota was used up",
        { filter: own('share-used-up'), over: 5 },
      ),
      promql(
        'for five minutes, the project used more than 80% of a quota per minute of the KMS or Firestore',
        'sum by (service, quota_metric) (increase(serviceruntime_googleapis_com:quota_rate_net_usage{monitored_resource="consumer_quota",service=~"(cloudkms|firestore)[.]googleapis[.]com"}[5m])) / 5 / min by (service, quota_metric) (serviceruntime_googleapis_com:quota_limit{monitored_resource="consumer_quota",service=~"(cloudkms|firestore)[.]googleapis[.]com"} > 0) > 0.8',
        '300s',
      ),
    ],
  },
  refused: {
    text: 'A function answers more than half of its requests with 401, 403 or 429. Read `code` and `route` in the log lines `request answered`. Either one caller keeps sending requests that are refused, or the function refuses everyone because a setting is wrong: invoker, audience, signing key or `trustedProxyHops`.',
    conditions: [
      promql(
        'in ten minutes, a function refused more than 50 requests and more than half of its requests',
        'sum by (service_name) (increase(run_googleapis_com:request_count{monitored_resource="cloud_run_revision",service_name=~"encryption-.+",response_code=~"401|403|429"}[10m])) > 50 and sum by (service_name) (increase(run_googleapis_com:request_count{monitored_resource="cloud_run_revision",service_name=~"encryption-.+",response_code=~"401|403|429"}[10m])) / sum by (service_name) (increase(run_googleapis_com:request_count{monitored_resource="cloud_run_revision",service_name=~"encryption-.+"}[10m])) > 0.5',
      ),
    ],
  },
  'root-changed': {
    text: 'Someone changed the wrapped root, the signing key, their versions, or who may use them. If neither you nor a deployment made the change, the key may be compromised: follow `docs/lost-parts.md`.',
    conditions: [
      {
        displayName: 'an administrator changed something in the key ring of the wrapped root and the signing key',
        conditionMatchedLog: {
          filter:
            'log_id("cloudaudit.googleapis.com/activity") protoPayload.serviceName="cloudkms.googleapis.com" protoPayload.resourceName:"keyRings/encryption-root"',
        },
      },
    ],
    notificationRateLimit: { period: '300s' },
  },
  'scheduled-failures': {
    text: 'Scheduled runs keep ending with an error. The log line `scheduled run failed` names the cause. If a run fails only for single keys or tenants, you get the alert `overdue` instead.',
    conditions: [
      threshold('more than 2 scheduled runs failed in an hour', {
        filter: own('scheduled-failures'),
        minutes: 60,
        over: 2,
      }),
    ],
  },
  'server-errors': {
    text: 'Cloud Run counts requests that were answered with a status from 500 to 599. Ask `/health/ready` which dependency is down, and follow its runbook in `docs/reliability.md`. The log line `request failed` names the cause. Without that line, the function did not answer: see the alerts `crashes` and `unserved`.',
    conditions: [
      threshold('functions answered more than 5 requests with server errors in five minutes', {
        filter:
          'metric.type="run.googleapis.com/request_count" resource.type="cloud_run_revision" resource.labels.service_name=starts_with("encryption-") metric.labels.response_code_class="5xx"',
        over: 5,
      }),
    ],
  },
  'slow-operations': {
    text: 'The function `crypto` is slow. Check whether Firestore or the KMS is slow. If both are fast, allow `crypto` more instances in `deploy/functions.ts`, and lower its shares of the KMS quota.',
    conditions: [
      threshold('the 99th percentile of the latency of the function crypto was over 2 s for ten minutes', {
        filter: `${own('request-latency')} resource.labels.service_name="encryption-crypto"`,
        over: 2_000,
        align: 'ALIGN_PERCENTILE_99',
        reduce: 'REDUCE_MAX',
        lasting: '600s',
      }),
    ],
  },
  unreachable: {
    text: "`/health` does not answer through the gateway. Check the gateway and Google's status.",
    conditions: [
      threshold('the uptime check of /health fails from more than one location', {
        filter: 'metric.type="monitoring.googleapis.com/uptime_check/check_passed" resource.type="uptime_url"',
        over: 1,
        align: 'ALIGN_NEXT_OLDER',
        reduce: 'REDUCE_COUNT_FALSE',
        lasting: '60s',
      }),
    ],
  },
  'unsealed-rows': {
    text: '`seal-audit` skipped audit events, or could not check whether it skipped any. Either someone changed the documents that tell `seal-audit` which events to seal, or the check failed. Unsealed events can be rewritten without a trace. The log line names the tenant. Look up the line in `docs/operate.md#events`.',
    conditions: [
      threshold('in the last hour, the service logged that audit events are unsealed or may be unsealed', {
        filter: own('unsealed-rows'),
        minutes: 60,
      }),
    ],
  },
  unserved: {
    text: "Cloud Run answers requests itself, instead of passing them to a function. Either the caller has no right to call the function (401, 403), no instance is free (429), or an instance does not answer (5xx). Read Cloud Run's request log: the text of the line names the cause.",
    conditions: [
      threshold('Cloud Run itself answered more than 5 requests in five minutes', { filter: own('unserved'), over: 5 }),
    ],
  },
  weakened: {
    text: 'A member of a tenant weakened its protection: the log line is `firewall opened`, `API key access widened`, `role raised` or `member invited`, and names the tenant, the member and the change. If you did not expect the change, ask the tenant.',
    conditions: [
      threshold('in the last five minutes, a member weakened the protection of a tenant', { filter: own('weakened') }),
    ],
  },
};
