import { anyText, matching, onOrOff, oneOf, optional, setting, url } from './setting-forms.js';

/** Standard variables of OpenTelemetry; its SDK reads the others itself, see open-telemetry-tracer.ts. */
export const TRACES = {
  otlpEndpoint: optional('OTEL_EXPORTER_OTLP_ENDPOINT', url('http:', 'https:'), {
    about: 'The collector; traces go to `/v1/traces` there. Not set: nothing is traced.',
  }),
  otlpTracesEndpoint: optional('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', url('http:', 'https:'), {
    about: 'The whole address instead.',
  }),
  tracesExporter: optional('OTEL_TRACES_EXPORTER', oneOf('otlp', 'none'), {
    about: '`none` turns traces off; `otlp` without an endpoint sends them to `http://localhost:4318`.',
  }),
  tracedServiceName: setting('OTEL_SERVICE_NAME', anyText, {
    default: 'namewatch',
    about: 'The service that the spans belong to.',
  }),
  tracesSampler: setting(
    'OTEL_TRACES_SAMPLER',
    oneOf(
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ),
    { default: 'parentbased_always_on', about: 'Those with `parentbased_` follow the decision of the caller.' },
  ),
  tracesSamplerArg: setting('OTEL_TRACES_SAMPLER_ARG', matching('a number from 0 to 1', /^(0(\.\d+)?|1(\.0+)?)$/), {
    default: '1',
    about: 'The share of traces that `traceidratio` keeps.',
  }),
  isTracingDisabled: setting('OTEL_SDK_DISABLED', onOrOff, { default: false, about: 'Turns traces off.' }),
};

type TracesValues = { readonly [Field in keyof typeof TRACES]: (typeof TRACES)[Field]['default'] };

/** Says where traces are sent, and how many. */
export interface TracingSettings {
  /** Leads to the collector, with its path. */
  readonly url: string;
  readonly serviceName: string;
  readonly sampler: TracesValues['tracesSampler'];
  /** The part of traces, from 0 to 1, that the samplers by ratio keep. */
  readonly ratio: number;
}

/** The specification's address of a collector beside the process. */
const DEFAULT_OTLP_ENDPOINT = 'http://localhost:4318';

export function toTracingSettings(settings: TracesValues): TracingSettings | null {
  const { otlpEndpoint: base, otlpTracesEndpoint: full } = settings;
  const exporter = settings.tracesExporter ?? (base === null && full === null ? 'none' : 'otlp');
  if (exporter === 'none' || settings.isTracingDisabled) return null;
  return {
    url: full ?? `${(base ?? DEFAULT_OTLP_ENDPOINT).replace(/\/+$/, '')}/v1/traces`,
    serviceName: settings.tracedServiceName,
    sampler: settings.tracesSampler,
    ratio: Number(settings.tracesSamplerArg),
  };
}
