import type { Condition } from '../../deploy/monitoring/alerts.ts';

type Threshold = Extract<Condition, { conditionThreshold: object }>['conditionThreshold'];

/** A time series: its labels, and its points. A point is a minute and a value; for a distribution, all values. */
interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly points: readonly (readonly [minute: number, value: number | boolean | readonly number[]])[];
}

/** Series that raise a condition, and series that must not, in the order of the alert's conditions. */
export type Case =
  | { readonly fires: readonly Series[]; readonly quiet: readonly Series[] }
  | { readonly logFires: Readonly<Record<string, string>>; readonly logQuiet: Readonly<Record<string, string>> }
  /** Series in the notation of promtool. `at` is when the alert must be raised, or must not. */
  | { readonly promFires: PromSeries; readonly promQuiet: PromSeries; readonly at: string };
export type PromSeries = Readonly<Record<string, string>>;

const USER = 'logging.googleapis.com/user/encryption';
const series = (metric: string, labels: Series['labels'], points: Series['points']): Series => ({
  labels: { 'resource.type': 'cloud_run_revision', 'metric.type': metric, ...labels },
  points,
});
/** A series of a log-based metric: each point counts this many lines in a minute. */
const counted = (name: string, ...points: Series['points']) => series(`${USER}/${name}`, {}, points);
const overdue = (run: string, value: number) => series(`${USER}/overdue`, { 'metric.labels.run': run }, [[1, [value]]]);
const requests = (service: string, responseClass: string, ...points: Series['points']) => {
  const labels = { 'resource.labels.service_name': service, 'metric.labels.response_code_class': responseClass };
  return series('run.googleapis.com/request_count', labels, points);
};
const latency = (service: string, value: number, minutes: number) => {
  const points = Array.from({ length: minutes }, (_, minute) => [minute, [value]] as const);
  return series(`${USER}/request-latency`, { 'resource.labels.service_name': service }, points);
};
const uptime = (region: string, passed: boolean) => {
  const points = Array.from({ length: 10 }, (_, minute) => [minute, passed] as const);
  return series(
    'monitoring.googleapis.com/uptime_check/check_passed',
    { 'resource.type': 'uptime_url', region },
    points,
  );
};

const run = (name: string) =>
  `logging_googleapis_com:user_encryption_scheduled_runs{monitored_resource="cloud_run_revision",run="${name}"}`;
const served = (code: string) =>
  `run_googleapis_com:request_count{monitored_resource="cloud_run_revision",service_name="encryption-crypto",response_code="${code}"}`;
const gateway = (responseClass: string) =>
  `apigateway_googleapis_com:proxy_request_count{monitored_resource="apigateway.googleapis.com/Gateway",response_code_class="${responseClass}"}`;
/**
 * The requests that took at most a second, and all, which took at most eight seconds. A gateway's managed service is
 * named after the API. The metric also has all other APIs of the project.
 */
const gatewayLatency = (fast: string, all: string, api = 'encryption'): PromSeries =>
  Object.fromEntries(
    Object.entries({ 1: fast, 8: all, '+Inf': all }).map(([le, values]) => [
      `serviceruntime_googleapis_com:api_request_latencies_bucket{monitored_resource="produced_api",service="${api}-1a2b3c.apigateway.acme.cloud.goog",le="${le}"}`,
      values,
    ]),
  );
const quota = (kind: 'rate_net_usage' | 'limit', service: string, limit = 'per-project') =>
  `serviceruntime_googleapis_com:quota_${kind}{monitored_resource="consumer_quota",service="${service}.googleapis.com",quota_metric="${service}/requests",limit_name="${limit}"}`;

const changed = (key: string) => ({
  logName: 'projects/p/logs/cloudaudit.googleapis.com%2Factivity',
  'protoPayload.serviceName': 'cloudkms.googleapis.com',
  'protoPayload.resourceName': `projects/p/locations/l/keyRings/${key}`,
});

/** A run that stops after 20 minutes, and one that goes on. */
const silence = (name: string, at: string): Case => ({
  promFires: { [run(name)]: '0+1x20 _x300' },
  promQuiet: { [run(name)]: '0+1x320' },
  at,
});

export const CASES: Readonly<Record<string, readonly Case[]>> = {
  crashes: [{ fires: [counted('crashes', [3, 1])], quiet: [counted('crashes', [3, 0]), counted('unserved', [3, 9])] }],
  'gateway-errors': [
    {
      promFires: { [gateway('5xx')]: '0+2x30' },
      promQuiet: { [gateway('5xx')]: '0+1x30', [gateway('2xx')]: '0+900x30' },
      at: '20m',
    },
    {
      promFires: { [gateway('4xx')]: '0+20x30', [gateway('2xx')]: '0+10x30' },
      promQuiet: { [gateway('4xx')]: '0+20x30', [gateway('2xx')]: '0+30x30' },
      at: '20m',
    },
  ],
  'gateway-latency': [
    {
      promFires: gatewayLatency('0+50x40', '0+60x40'),
      promQuiet: { ...gatewayLatency('0+60x40', '0+60x40'), ...gatewayLatency('0+0x40', '0+60x40', 'another') },
      at: '30m',
    },
  ],
  'late-rows': [{ fires: [counted('late-rows', [10, 1])], quiet: [counted('late-rows', [10, 0])] }],
  'no-closing': [silence('close-month', '4h')],
  'no-destruction': [silence('destroy-due-keys', '1h')],
  'no-sealing': [silence('seal-audit', '1h')],
  overdue: [
    {
      fires: [overdue('destroy-due-keys', 3_601)],
      quiet: [overdue('destroy-due-keys', 3_600), overdue('seal-audit', 9_999)],
    },
    { fires: [overdue('close-month', 86_401)], quiet: [overdue('close-month', 86_400)] },
    { fires: [overdue('seal-audit', 3_601)], quiet: [overdue('seal-audit', 3_600), overdue('close-month', 9_999)] },
  ],
  'quota-nearly-used': [
    {
      fires: [counted('share-used-up', [1, 6])],
      quiet: [counted('share-used-up', [1, 5], [8, 5]), counted('unserved', [1, 99])],
    },
    {
      // A limit that is not positive means that the usage has no limit.
      promFires: {
        [quota('rate_net_usage', 'cloudkms')]: '0+90x30',
        [quota('limit', 'cloudkms')]: '100x30',
        [quota('limit', 'cloudkms', 'unlimited')]: '-1x30',
      },
      promQuiet: {
        [quota('rate_net_usage', 'cloudkms')]: '0+70x30',
        [quota('limit', 'cloudkms')]: '100x30',
        [quota('rate_net_usage', 'logging')]: '0+90x30',
        [quota('limit', 'logging')]: '100x30',
      },
      at: '20m',
    },
  ],
  refused: [
    {
      promFires: { [served('401')]: '0+10x30', [served('200')]: '0+5x30' },
      promQuiet: { [served('401')]: '0+10x30', [served('200')]: '0+50x30' },
      at: '20m',
    },
  ],
  'root-changed': [
    {
      logFires: changed('encryption-root/cryptoKeys/wrapped-root'),
      logQuiet: changed('encryption-tenants/cryptoKeys/k'),
    },
  ],
  'scheduled-failures': [
    {
      fires: [counted('scheduled-failures', [1, 1], [11, 1], [21, 1])],
      quiet: [counted('scheduled-failures', [1, 1], [11, 1])],
    },
  ],
  'server-errors': [
    {
      fires: [requests('encryption-keys', '5xx', [1, 3]), requests('encryption-crypto', '5xx', [2, 3])],
      quiet: [
        requests('encryption-keys', '5xx', [1, 3], [9, 3]),
        requests('encryption-keys', '4xx', [1, 99]),
        requests('another', '5xx', [1, 99]),
      ],
    },
  ],
  'slow-operations': [
    {
      fires: [latency('encryption-crypto', 2_500, 20)],
      quiet: [latency('encryption-crypto', 2_500, 5), latency('encryption-keys', 9_000, 20)],
    },
  ],
  unreachable: [
    { fires: [uptime('usa', false), uptime('europe', false)], quiet: [uptime('usa', false), uptime('europe', true)] },
  ],
  'unsealed-rows': [{ fires: [counted('unsealed-rows', [1, 1])], quiet: [counted('unsealed-rows', [1, 0])] }],
  unserved: [{ fires: [counted('unserved', [1, 6])], quiet: [counted('unserved', [1, 5], [8, 5])] }],
  weakened: [{ fires: [counted('weakened', [1, 1])], quiet: [counted('weakened', [1, 0])] }],
};

/**
 * Returns whether a condition with a threshold is met at some minute, as Cloud Monitoring evaluates it: the points of
 * each series in the alignment period become one value, the series become one value, and this value must exceed the
 * threshold for the whole duration.
 */
export function isRaised(condition: Threshold, all: readonly Series[]): boolean {
  const [{ alignmentPeriod, perSeriesAligner, crossSeriesReducer }] = condition.aggregations;
  const window = seconds(alignmentPeriod) / 60;
  const series = all.filter(({ labels }) => matches(condition.filter, labels));
  const last = Math.max(0, ...series.flatMap(({ points }) => points.map(([minute]) => minute)));
  const needed = 1 + seconds(condition.duration) / 60;
  let inRow = 0;
  for (let minute = 0; minute <= last + window; minute++) {
    const aligned = series.flatMap(({ points }) => {
      const inside = points.filter(([at]) => at > minute - window && at <= minute).map(([, value]) => value);
      return inside.length === 0 ? [] : [align(perSeriesAligner, inside)];
    });
    const value = reduce(crossSeriesReducer, aligned);
    inRow = value !== undefined && value > condition.thresholdValue ? inRow + 1 : 0;
    if (inRow >= needed) return true;
  }
  return false;
}

/** Whether labels match a filter of equalities, `starts_with(…)` and `:` (contains), all of which must hold. */
export function matches(filter: string, labels: Readonly<Record<string, string>>): boolean {
  const terms = filter.match(/(?:log_id\("[^"]*"\)|[\w.]+(?:=|:)(?:starts_with\("[^"]*"\)|"[^"]*"))/g) ?? [];
  if (terms.join(' ') !== filter) throw new Error(`cannot read the filter ${filter}`);
  return terms.every((term) => {
    const [, log] = /^log_id\("(.*)"\)$/.exec(term) ?? [];
    if (log !== undefined) return labels.logName?.endsWith(`/logs/${encodeURIComponent(log)}`);
    const [, name = '', operator, prefix, value = ''] =
      /^([\w.]+)(=|:)(?:starts_with\("(.*)"\)|"(.*)")$/.exec(term) ?? [];
    const found = labels[name] ?? '';
    if (prefix !== undefined) return found.startsWith(prefix);
    return operator === ':' ? found.includes(value) : found === value;
  });
}

type Aggregation = Threshold['aggregations'][0];
function align(aligner: Aggregation['perSeriesAligner'], values: readonly unknown[]): number | boolean {
  if (aligner === 'ALIGN_NEXT_OLDER') return values.at(-1) === true;
  const numbers = Float64Array.from(values.flat().map(Number)).sort();
  if (aligner === 'ALIGN_DELTA') return numbers.reduce((sum, value) => sum + value, 0);
  return numbers[Math.ceil(numbers.length * 0.99) - 1] ?? 0;
}

function reduce(reducer: Aggregation['crossSeriesReducer'], values: readonly (number | boolean)[]) {
  if (values.length === 0) return undefined;
  if (reducer === 'REDUCE_COUNT_FALSE') return values.filter((value) => value === false).length;
  const numbers = values.map(Number);
  return reducer === 'REDUCE_MAX' ? Math.max(...numbers) : numbers.reduce((sum, value) => sum + value, 0);
}

const seconds = (duration: string) => Number.parseInt(duration, 10);
