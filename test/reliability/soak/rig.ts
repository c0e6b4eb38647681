import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sparePort } from '../../../bench/servers.ts';
import { ROOT } from '../../sources.ts';
import type { Addresses } from '../../support/client.ts';
import { type Receiver, startReceiver } from '../../support/otlp-receiver.ts';
import { makeProxiedService, type ProxiedService } from '../proxied-service.ts';
import { Disturbances } from './disturbances.ts';
import { connectInspector, type Inspector, LogLines } from './gauge.ts';
import { type MovedClock, makeMovedClock } from './moved-clock.ts';
import { Promises } from './promises.ts';
import { Sender } from './sender.ts';
import { People } from './tenants.ts';

/** A process of the service on a stack, with everything that sends requests to it or observes it. */
export interface Rig {
  readonly stack: Addresses;
  readonly service: ProxiedService;
  readonly clock: MovedClock;
  readonly inspector: Inspector;
  readonly receiver: Receiver;
  readonly log: LogLines;
  readonly faults: Disturbances;
  readonly sender: Sender;
  readonly people: People;
  readonly promises: Promises;
  /** Notes a wrong answer. */
  readonly flaw: (words: string) => void;
  stop(): Promise<void>;
}

/**
 * Starts the process with the settings of a deployment, but with a small heap. Its metrics, log and inspector can be
 * read.
 */
export async function openRig(stack: Addresses): Promise<Rig> {
  await using cleanup = new AsyncDisposableStack();
  const promises = new Promises();
  const faults = new Disturbances();
  const log = new LogLines();
  const receiver = await startReceiver();
  cleanup.defer(() => receiver.stop());
  const port = sparePort(stack, 1);
  const service = await makeProxiedService(stack, {
    env: { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: receiver.url, RATE_LIMIT: 'on' },
    flags: [`--inspect=127.0.0.1:${port}`, `--import=${pathToFileURL(join(ROOT, 'functions/preload/all.ts'))}`],
    onOutput: (chunk) => log.take(chunk),
  });
  cleanup.defer(() => service.stop());
  await service.start();
  const inspector = await connectInspector(port);
  cleanup.defer(() => inspector.close());
  const clock = makeMovedClock(stack, service);
  const flaw = (words: string) => promises.expect('answers are as documented', [words], 0);
  const sender = new Sender(service.baseUrl, clock, faults, flaw);
  const people = new People(stack);
  const running = cleanup.move();
  const stop = () => running.disposeAsync();
  return { stack, service, clock, inspector, receiver, log, faults, sender, people, promises, flaw, stop };
}
