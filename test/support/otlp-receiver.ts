import { once } from 'node:events';
import { createServer } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { z } from 'zod';
import { listen } from './second-service.ts';

const value = z.object({ stringValue: z.string() }).or(z.object({ intValue: z.coerce.number() }));
const attributes = z
  .array(z.object({ key: z.string(), value }))
  .transform((all) => Object.fromEntries(all.map(({ key, value }) => [key, Object.values(value)[0]])));
const points = z.object({
  dataPoints: z.array(z.object({ attributes, asDouble: z.number().optional(), count: z.coerce.number().optional() })),
});
const metric = z
  .object({
    name: z.string(),
    unit: z.string(),
    sum: points.optional(),
    gauge: points.optional(),
    histogram: points.optional(),
  })
  .transform(({ name, unit, ...data }) => ({ name, unit, kind: Object.keys(data)[0], points: Object.values(data)[0] }));
const sent = z.object({
  resourceMetrics: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeMetrics: z.array(z.object({ metrics: z.array(metric) })),
    }),
  ),
});

/** A data point: its attributes, and its value (for a histogram, its count). */
export type Point = readonly [attributes: Record<string, string | number | undefined>, figure: number | undefined];

/** Takes the place of an OpenTelemetry collector. Accepts OTLP over HTTP in JSON. */
export interface Receiver {
  readonly url: string;
  /** The bodies received so far, as text. */
  readonly bodies: readonly string[];
  /** Returns the resource attributes in the last body. */
  resource(): Record<string, string | number | undefined>;
  /** Returns the kind and unit of each instrument in the last body, by name. */
  instruments(): Record<string, string>;
  /** Returns an instrument's data points in the last body. */
  points(name: string): Point[];
  stop(): Promise<void>;
}

/** Starts a receiver that answers every body with the given status. */
export async function startReceiver(status = 200): Promise<Receiver> {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(await readText(request));
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  const url = `http://127.0.0.1:${await listen(server)}/v1/metrics`;
  const last = () => sent.parse(JSON.parse(bodies.at(-1) ?? '{}')).resourceMetrics;
  const metrics = () => last().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
  return {
    url,
    bodies,
    resource: () => last()[0]?.resource.attributes ?? {},
    instruments: () => Object.fromEntries(metrics().map(({ name, kind, unit }) => [name, `${kind} ${unit}`])),
    points: (name) =>
      metrics()
        .filter((metric) => metric.name === name)
        .flatMap(({ points }) => points?.dataPoints ?? [])
        .map(({ attributes, asDouble, count }) => [attributes, asDouble ?? count]),
    stop: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
