import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../src/config/config.js';
import { InvalidConfigurationError } from '../../../src/config/invalid-configuration.error.js';
import { NO_TRACER } from '../../../src/kernel/tracing/tracer.js';
import { createTracer } from '../../../src/platform/tracing/create-tracer.js';
import { OpenTelemetryTracer } from '../../../src/platform/tracing/open-telemetry-tracer.js';

const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1/' };
const failing = (code: string) => () => Promise.reject(Object.assign(new Error('Cannot find package'), { code }));

describe('tracing', () => {
  it('follows the standard variables', () => {
    expect(readConfig({}).tracing).toBeNull();
    expect(readConfig(traced).tracing).toEqual({
      url: 'http://127.0.0.1:1/v1/traces',
      serviceName: 'namewatch',
      sampler: 'parentbased_always_on',
      ratio: 1,
    });
    const url = 'http://collector/own';
    expect(readConfig({ ...traced, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url }).tracing?.url).toBe(url);
    expect(readConfig({ OTEL_TRACES_EXPORTER: 'otlp' }).tracing?.url).toBe('http://localhost:4318/v1/traces');
    expect(readConfig({ ...traced, OTEL_TRACES_EXPORTER: 'none' }).tracing).toBeNull();
    expect(readConfig({ ...traced, OTEL_SDK_DISABLED: 'true' }).tracing).toBeNull();
  });

  it.each([
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER must be one of otlp, none, not "zipkin"'],
    [{ OTEL_TRACES_SAMPLER_ARG: '1.5' }, 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' }, 'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL with http: or https:'],
  ])('refuses %j', (env, problem) => {
    expect(() => readConfig(env as unknown as Record<string, string>)).toThrow(problem);
  });

  it('says in a sentence which packages are missing', async () => {
    const missing = createTracer(readConfig(traced), failing('ERR_MODULE_NOT_FOUND'));
    await expect(missing).rejects.toThrow(InvalidConfigurationError);
    await expect(missing).rejects.toThrow(
      /^OTEL_EXPORTER_OTLP_ENDPOINT: traces need .*npm install @opentelemetry\/api /,
    );
    await expect(createTracer(readConfig(traced), failing('ERR_OTHER'))).rejects.toThrow('Cannot find package');
    await expect(createTracer(readConfig({}), failing('ERR_OTHER'))).resolves.toBe(NO_TRACER);
  });

  it('samples by ratio, and continues what a caller samples', async () => {
    const env = { ...traced, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
    const { tracing } = readConfig(env);
    if (tracing === null) throw new Error('tracing is off');
    const tracer = new OpenTelemetryTracer(tracing);
    const flagsOf = (parent: string | null) =>
      tracer.start({ name: 'x', kind: 'server', parent }).traceparent?.slice(-2);
    expect(flagsOf(null)).toBe('00');
    expect(flagsOf(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`)).toBe('01');
    await tracer.onApplicationShutdown(); // the collector is away
  });

  it('runs work alike when it is off', async () => {
    const options = { name: 'work', kind: 'internal' } as const;
    expect(await NO_TRACER.trace(options, ({ traceparent }) => Promise.resolve(traceparent))).toBeNull();
    expect(NO_TRACER.resume('00-a-b-01', () => NO_TRACER.traceparent)).toBeNull();
  });
});
