import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { OutageLog } from '../logging/outage-log.js';

type Export = SpanExporter['export'];

/** ExportResultCode.SUCCESS, of a package that is not ours to depend on. */
const SUCCESS = 0;

/** Logs the outages of the collector; the SDK itself is silent. Spans that could not be sent are lost. */
export class ReportingExporter implements SpanExporter {
  private readonly outage = OutageLog.forDependency('the trace collector');

  constructor(private readonly exporter: SpanExporter) {}

  export(spans: Parameters<Export>[0], done: Parameters<Export>[1]): void {
    this.exporter.export(spans, (result) => {
      if (Number(result.code) === SUCCESS) this.outage.reportUp();
      else this.outage.reportDown(result.error?.message ?? 'it accepts no spans');
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.exporter.forceFlush?.();
  }
}
