import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import type { Log } from '../base/log.ts';

/** OpenTelemetry's exporter reports failures to nobody; this one logs them. */
export class LoggedExporter extends OTLPMetricExporter {
  readonly #log: Log;

  constructor(url: string, log: Log) {
    super({ url });
    this.#log = log;
  }

  override export(...[metrics, done]: Parameters<OTLPMetricExporter['export']>): void {
    super.export(metrics, (result) => {
      if (result.error !== undefined) this.#log.write('WARNING', 'metrics were not sent', {}, result.error);
      done(result);
    });
  }
}
