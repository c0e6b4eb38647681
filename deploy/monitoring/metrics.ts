/** Returns the definition of a metric that counts the log lines of the service that match the filter. */
const lines = (description: string, filter: string) => ({
  description,
  filter: `resource.type="cloud_run_revision" resource.labels.service_name:"encryption-" ${filter}`,
  metricDescriptor: { metricKind: 'DELTA', valueType: 'INT64', unit: '1' },
});

/** Returns the definition of a metric that counts events with these names. */
const events = (
  description: string,
  names: readonly string[],
  { severity, reason }: { readonly severity?: string; readonly reason?: string } = {},
) => {
  const named = names.map((name) => `"${name}"`).join(' OR ');
  const terms = [
    ...(severity === undefined ? [] : [`severity=${severity}`]),
    `jsonPayload.message=${names.length === 1 ? named : `(${named})`}`,
    ...(reason === undefined ? [] : [`jsonPayload.reason="${reason}"`]),
  ];
  return lines(description, terms.join(' '));
};

/** Returns the definition with a label. `from` extracts its value from a log line. */
const labelled = <Metric extends ReturnType<typeof lines>>(metric: Metric, key: string, from: string) => ({
  ...metric,
  labelExtractors: { [key]: from },
  metricDescriptor: { ...metric.metricDescriptor, labels: [{ key, valueType: 'STRING' }] },
});

/** Returns the definition of a metric with the distribution of a value, instead of the number of log lines. */
const distribution = <Metric extends ReturnType<typeof lines>>(
  metric: Metric,
  unit: string,
  from: string,
  bucketOptions: object,
) => ({
  ...metric,
  valueExtractor: from,
  metricDescriptor: { ...metric.metricDescriptor, valueType: 'DISTRIBUTION', unit },
  bucketOptions,
});

const FINISHED = ['destroy-due-keys', 'close-month', 'seal-audit'].flatMap((run) => [
  `${run} finished`,
  `${run} finished with failures`,
]);
const RUN = 'REGEXP_EXTRACT(jsonPayload.message, "^([a-z-]+) finished")';

type Metric = ReturnType<typeof lines> & {
  readonly labelExtractors?: Readonly<Record<string, string>>;
  readonly valueExtractor?: string;
  readonly bucketOptions?: object;
};

/** The log-based metrics, in the format of gcloud. */
export const METRICS: Readonly<Record<string, Metric>> = {
  crashes: lines(
    'Containers that exited with an error, ran out of memory or did not start',
    'log_id("run.googleapis.com/varlog/system") textPayload=~"Container called exit[(][1-9]|Uncaught signal|[Tt]erminated on signal|Memory limit of|probe failed|failed to start"',
  ),
  'late-rows': events(
    'Audit events stored after their period was sealed: someone added them, or they were far too late',
    ['audit event stored after its period was sealed'],
    { severity: 'ERROR' },
  ),
  overdue: distribution(
    labelled(events('Age of the oldest work that a scheduled run left undone, by function', FINISHED), 'run', RUN),
    's',
    'EXTRACT(jsonPayload.oldest_due_s)',
    {
      explicitBuckets: {
        bounds: [60, 300, 900, 1800, 3600, 7200, 14400, 28800, 43200, 86400, 172800, 345600, 691200, 1382400, 2764800],
      },
    },
  ),
  'request-latency': distribution(
    labelled(
      events('Time that requests took inside the function, by status', ['request answered', 'request failed']),
      'status',
      'EXTRACT(jsonPayload.status)',
    ),
    'ms',
    'EXTRACT(jsonPayload.took_ms)',
    { exponentialBuckets: { numFiniteBuckets: 40, growthFactor: 1.3, scale: 1 } },
  ),
  'scheduled-failures': events('Runs of scheduled functions that ended with an error', ['scheduled run failed'], {
    severity: 'ERROR',
  }),
  'scheduled-runs': labelled(events('Runs of scheduled functions that finished, by function', FINISHED), 'run', RUN),
  'share-used-up': events(
    "Requests that an instance refused because its share of the KMS's quota was used up",
    ['request failed'],
    { reason: 'KMS share used up' },
  ),
  'unsealed-rows': events(
    'Audit events that sealing skipped: someone changed its documents, or the comparison with seals failed',
    [
      'sealing marks missing for unsealed audit events',
      'sealing pause longer than an hour ignored',
      'audit events unsealed for more than an hour',
      'restored audit log not sealed while the service is open',
      'comparing events with seals failed for a tenant',
      'comparing events with seals ran out of time',
    ],
    { severity: 'ERROR' },
  ),
  unserved: labelled(
    lines(
      'Requests that Cloud Run answered without calling a function, by status',
      'log_id("run.googleapis.com/requests") (httpRequest.status=(401 OR 403 OR 429) OR httpRequest.status>=500) textPayload:*',
    ),
    'status',
    'EXTRACT(httpRequest.status)',
  ),
  weakened: events(
    'Changes by which tenants weakened their own protection',
    ['firewall opened', 'API key access widened', 'role raised', 'member invited'],
    { severity: 'NOTICE' },
  ),
};
