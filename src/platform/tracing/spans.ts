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

/** Uses the SDK that a host application or `--import` registers. Without an SDK, spans are not recorded. */
export const tracer = trace.getTracer('namewatch', version);

/** Records the work as a span of the current trace, or of the trace in `traceparent`. A rejection fails the span. */
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

/** @param reason a code, never a text from elsewhere */
export function failSpan(span: Span, reason: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message: reason }).setAttribute('error.type', reason);
}

/** Returns the current trace for a later step, perhaps in another process. Returns null while nothing is traced. */
export function currentTraceparent(): string | null {
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

/** Runs work whose spans continue this trace. With null, the spans begin a new trace. */
export function continueTrace<Result>(traceparent: string | null, work: () => Result): Result {
  return context.with(traceparent === null ? ROOT_CONTEXT : contextOf(traceparent), work);
}

/** Returns the context of this trace. Any text that is not a `traceparent` begins a new trace. */
export function contextOf(traceparent: string): Context {
  return propagation.extract(ROOT_CONTEXT, { traceparent });
}

/** Returns the trace id for log lines, or an empty object without a span. */
export function traceIdOf(span: Span | undefined): { readonly trace_id?: string } {
  const spanContext = span?.spanContext();
  return spanContext && isSpanContextValid(spanContext) ? { trace_id: spanContext.traceId } : {};
}
