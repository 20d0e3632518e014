export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'internal';
  /** A W3C `traceparent` from elsewhere or earlier. Without one the span belongs to the running span, or begins a trace. */
  readonly parent?: string | null;
  readonly attributes?: SpanAttributes;
}

/** A step that is timed. */
export interface Span {
  /** Makes a later step, in whichever process, part of this trace; null while nothing is traced. */
  readonly traceparent: string | null;
  setAttributes(attributes: SpanAttributes): void;
  /** @param reason a code, never a text of others */
  fail(reason: string): void;
  /** Spans that the work starts are children of this one. */
  run<Result>(work: () => Result): Result;
  end(): void;
}

/** Follows a request through lookups, events and deliveries, where the administrator asks for traces. */
export abstract class Tracer {
  abstract readonly isEnabled: boolean;
  /** Names the running span; null outside of one. */
  abstract get traceparent(): string | null;
  abstract start(options: SpanOptions): Span;
  /** Spans that the work starts continue this trace; null: they begin their own. */
  abstract resume<Result>(traceparent: string | null, work: () => Result): Result;

  /** Times the work; a rejection fails the span. */
  trace<Result>(options: SpanOptions, work: (span: Span) => Promise<Result>): Promise<Result> {
    return this.isEnabled ? this.traceWork(options, work) : work(NO_SPAN);
  }

  private async traceWork<Result>(options: SpanOptions, work: (span: Span) => Promise<Result>): Promise<Result> {
    const span = this.start(options);
    try {
      return await span.run(() => work(span));
    } catch (error) {
      span.fail((error as Error).name);
      throw error;
    } finally {
      span.end();
    }
  }
}

const NO_SPAN: Span = {
  traceparent: null,
  setAttributes: () => undefined,
  fail: () => undefined,
  run: (work) => work(),
  end: () => undefined,
};

class NoTracer extends Tracer {
  readonly isEnabled = false;
  readonly traceparent = null;

  start(): Span {
    return NO_SPAN;
  }

  resume<Result>(_traceparent: string | null, work: () => Result): Result {
    return work();
  }
}

/** Traces nothing. */
export const NO_TRACER: Tracer = new NoTracer();

/** Returns the trace for log lines; without a span an empty object. */
export function traceIdOf(traceparent: string | null): { readonly trace_id?: string } {
  const [, traceId] = traceparent?.split('-') ?? [];
  return traceId === undefined ? {} : { trace_id: traceId };
}
