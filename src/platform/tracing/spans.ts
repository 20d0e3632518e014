import {
  context,
  type Context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { version } from '../outbound/user-agent.js';

/**
 * Creates spans with the OpenTelemetry SDK that a host application or `--import` registers. Without an SDK, spans are
 * not recorded.
 */
export const tracer = trace.getTracer('namewatch', version);

/** Records the work as a span. Its parent is `traceparent`, or the current span if `traceparent` is null. */
export function inSpan<Result>(
  name: string,
  { traceparent = null, ...options }: SpanOptions & { readonly traceparent?: string | null },
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const parent = traceparent === null ? context.active() : contextOf(traceparent);
  return tracer.startActiveSpan(name, options, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      failSpan(span, (error as Error).name);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** @param reason a code of our own, because a text from elsewhere may contain private data */
export function failSpan(span: Span, reason: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message: reason }).setAttribute('error.type', reason);
}

/**
 * Returns the current trace as text for a later step, perhaps in another process. Returns null if nothing is traced.
 */
export function currentTraceparent(): string | null {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

/** Runs the work. Its spans continue the given trace, or begin a new trace if `traceparent` is null. */
export function continueTrace<Result>(traceparent: string | null, work: () => Result): Result {
  return context.with(traceparent === null ? ROOT_CONTEXT : contextOf(traceparent), work);
}

/** Returns the context of the given trace. If the text is no valid `traceparent`, the context begins a new trace. */
export function contextOf(traceparent: string): Context {
  return propagation.extract(ROOT_CONTEXT, { traceparent });
}

/** Returns the trace id as a field for log lines. Without a span, returns an empty object. */
export function traceIdOf(span: Span | undefined): { readonly trace_id?: string } {
  const spanContext = span?.spanContext();
  return spanContext && isSpanContextValid(spanContext) ? { trace_id: spanContext.traceId } : {};
}
