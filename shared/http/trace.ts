import type { IncomingHttpHeaders } from 'node:http';
import type { LogFields } from '../base/log.ts';

interface Trace {
  readonly traceId: string;
  readonly spanId: string | undefined;
}

type Header = IncomingHttpHeaders[string];

/** W3C Trace Context, version 00, the only one that Google Cloud sends. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/;
/** Google's older trace header. The span id is decimal, and 0 means that there is no span. */
const CLOUD_TRACE = /^(?!0{32})([0-9a-f]{32})(?:\/(\d{1,20}))?(?:;o=\d)?$/;

const LARGEST_SPAN_ID = 2n ** 64n - 1n;

/** Cloud Logging's trace fields from `traceparent`, else from `x-cloud-trace-context`. Ignores malformed headers. */
export function traceFields(project: string, headers: IncomingHttpHeaders): LogFields {
  const trace = parseTraceparent(headers.traceparent) ?? parseCloudTrace(headers['x-cloud-trace-context']);
  if (trace === undefined) return {};
  return {
    'logging.googleapis.com/trace': `projects/${project}/traces/${trace.traceId}`,
    'logging.googleapis.com/spanId': trace.spanId,
  };
}

function parseTraceparent(header: Header): Trace | undefined {
  const [, traceId, spanId] = (typeof header === 'string' && TRACEPARENT.exec(header)) || [];
  return traceId === undefined ? undefined : { traceId, spanId };
}

function parseCloudTrace(header: Header): Trace | undefined {
  const [, traceId, decimal = '0'] = (typeof header === 'string' && CLOUD_TRACE.exec(header)) || [];
  if (traceId === undefined) return undefined;
  const spanId = BigInt(decimal);
  if (spanId > LARGEST_SPAN_ID) return undefined;
  return { traceId, spanId: spanId === 0n ? undefined : spanId.toString(16).padStart(16, '0') };
}
