import {
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span as OpenTelemetrySpan,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as SpanStarter,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import type { OnApplicationShutdown } from '@nestjs/common';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { TracingSettings } from '../../config/tracing-settings.js';
import { type Span, type SpanAttributes, type SpanOptions, Tracer } from '../../kernel/tracing/tracer.js';
import { version } from '../outbound/user-agent.js';
import { OutageLog } from '../logging/outage-log.js';

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/**
 * Sends spans to a collector. Nothing is registered globally: a host application, or another service in this process,
 * may have its own. The SDK reads further standard variables itself (headers, certificates, batches, resource
 * attributes): they are its contract, and follow its versions.
 */
export class OpenTelemetryTracer extends Tracer implements OnApplicationShutdown {
  readonly isEnabled = true;
  private readonly running = new AsyncLocalStorage<Context>();
  private readonly provider: TracerProvider;
  private readonly spans: SpanStarter;

  constructor(settings: TracingSettings) {
    super();
    const named = resourceFromAttributes({ 'service.name': settings.serviceName, 'service.version': version });
    const exporter = new ReportingExporter(new OTLPTraceExporter({ url: settings.url }));
    this.provider = new TracerProvider({
      resource: defaultResource()
        .merge(detectResources({ detectors: [envDetector] }))
        .merge(named),
      sampler: toSampler(settings),
      spanProcessors: [new BatchSpanProcessor({ exporter })],
    });
    this.spans = this.provider.getTracer('namewatch', version);
  }

  get traceparent(): string | null {
    const context = this.running.getStore();
    const span = context && trace.getSpan(context);
    return span ? toTraceparent(span) : null;
  }

  start({ name, kind, parent, attributes = {} }: SpanOptions): Span {
    const context = (parent && parseTraceparent(parent)) || (this.running.getStore() ?? ROOT_CONTEXT);
    const span = this.spans.startSpan(name, { kind: KINDS[kind], attributes }, context);
    return new StartedSpan(span, trace.setSpan(context, span), this.running);
  }

  resume<Result>(traceparent: string | null, work: () => Result): Result {
    const context = traceparent === null ? null : parseTraceparent(traceparent);
    return this.running.run(context ?? ROOT_CONTEXT, work);
  }

  /** Sends what it holds; a collector that is away does not keep the process. */
  async onApplicationShutdown(): Promise<void> {
    await this.provider.shutdown().catch(() => undefined);
  }
}

class StartedSpan implements Span {
  constructor(
    private readonly span: OpenTelemetrySpan,
    private readonly context: Context,
    private readonly running: AsyncLocalStorage<Context>,
  ) {}

  get traceparent(): string {
    return toTraceparent(this.span);
  }

  setAttributes(attributes: SpanAttributes): void {
    this.span.setAttributes(attributes);
  }

  fail(reason: string): void {
    this.span.setStatus({ code: SpanStatusCode.ERROR, message: reason }).setAttribute('error.type', reason);
  }

  run<Result>(work: () => Result): Result {
    return this.running.run(this.context, work);
  }

  end(): void {
    this.span.end();
  }
}

function toTraceparent(span: OpenTelemetrySpan): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** W3C Trace Context, version 00. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** null for anything else: then a trace begins here. */
function parseTraceparent(text: string): Context | null {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text) ?? [];
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : null;
}

function toSampler({ sampler, ratio }: TracingSettings): Sampler {
  const root = toRootSampler(sampler.replace('parentbased_', ''), ratio);
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function toRootSampler(name: string, ratio: number): Sampler {
  if (name === 'traceidratio') return new TraceIdRatioBasedSampler(ratio);
  return name === 'always_on' ? new AlwaysOnSampler() : new AlwaysOffSampler();
}

type Export = SpanExporter['export'];

/** ExportResultCode.SUCCESS, of a package that is not ours to depend on. */
const SUCCESS = 0;

/** Logs the outages of the collector; the SDK itself is silent. Spans that could not be sent are lost. */
class ReportingExporter implements SpanExporter {
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
