import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import {
  type Attributes,
  type Context,
  context,
  type ContextManager,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanStatusCode,
  type TextMapPropagator,
  trace,
  type Tracer,
} from '@opentelemetry/api';

/** A span of a service in this process. */
export interface RecordedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parent: string | undefined;
  readonly name: string;
  readonly attributes: Attributes;
  isFailed: boolean;
}

/** In the order in which they ended. */
export const spans: RecordedSpan[] = [];
export const spansNamed = (name: string) => spans.filter((span) => span.name === name);

const running = new AsyncLocalStorage<Context>();
const contexts: ContextManager = {
  active: () => running.getStore() ?? ROOT_CONTEXT,
  with: (active, work, that, ...args) => running.run(active, () => work.apply(that as never, args)),
  bind: (active, target) => target,
  enable: () => contexts,
  disable: () => contexts,
};

/** https://www.w3.org/TR/trace-context/, version 00 */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;
const headers: TextMapPropagator = {
  inject: (active, carrier, setter) => {
    const span = trace.getSpanContext(active);
    if (span) setter.set(carrier, 'traceparent', `00-${span.traceId}-${span.spanId}-0${span.traceFlags}`);
  },
  extract: (active, carrier, getter) => {
    const [, traceId, spanId, flags = ''] = TRACEPARENT.exec(String(getter.get(carrier, 'traceparent'))) ?? [];
    if (traceId === undefined || spanId === undefined) return active;
    return trace.setSpanContext(active, { traceId, spanId, traceFlags: Number(flags), isRemote: true });
  },
  fields: () => ['traceparent'],
};

function startSpan(name: string, attributes: Attributes, active: Context): Span {
  const parent = trace.getSpanContext(active);
  const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
  const spanContext: SpanContext = { traceId, spanId: randomBytes(8).toString('hex'), traceFlags: 1 };
  const record = { ...spanContext, parent: parent?.spanId, name, attributes: { ...attributes }, isFailed: false };
  const span: Span = {
    spanContext: () => spanContext,
    setAttribute: (key, value) => span.setAttributes({ [key]: value }),
    setAttributes: (more) => (Object.assign(record.attributes, more), span),
    setStatus: ({ code }) => ((record.isFailed = code === SpanStatusCode.ERROR), span),
    addEvent: () => span,
    addLink: () => span,
    addLinks: () => span,
    updateName: () => span,
    isRecording: () => true,
    recordException: () => undefined,
    end: () => void spans.push(record),
  };
  return span;
}

const tracer: Tracer = {
  startSpan: (name, { attributes = {} } = {}, active = context.active()) => startSpan(name, attributes, active),
  startActiveSpan: (name: string, ...rest: unknown[]) => {
    const work = rest.at(-1) as (span: Span) => never;
    const [options, active = context.active()] = rest.slice(0, -1) as [{ attributes?: Attributes }?, Context?];
    const span = startSpan(name, options?.attributes ?? {}, active);
    return context.with(trace.setSpan(active, span), () => work(span));
  },
};

// As an SDK does where it is loaded with `--import`.
context.setGlobalContextManager(contexts);
propagation.setGlobalPropagator(headers);
trace.setGlobalTracerProvider({ getTracer: () => tracer });
