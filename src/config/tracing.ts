/** The samplers of the OpenTelemetry specification that need no other server. */
export const SAMPLERS = [
  ...(['always_on', 'always_off', 'traceidratio'] as const),
  ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
] as const;
export type Sampler = (typeof SAMPLERS)[number];

/** Of the environment, as far as they are ours. */
interface TracingVariables {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string;
  readonly OTEL_TRACES_EXPORTER?: 'otlp' | 'none';
  readonly OTEL_SERVICE_NAME: string;
  readonly OTEL_TRACES_SAMPLER: Sampler;
  readonly OTEL_TRACES_SAMPLER_ARG: string;
  readonly OTEL_SDK_DISABLED: boolean;
}

/** Where traces are sent, and how many. */
export interface TracingSettings {
  /** Of the collector, with its path. */
  readonly url: string;
  readonly serviceName: string;
  readonly sampler: Sampler;
  /** Of traces, from 0 to 1, for the samplers by ratio. */
  readonly ratio: number;
}

/** That of the specification, for a collector beside the process. */
const DEFAULT_ENDPOINT = 'http://localhost:4318';

/** null: nothing is traced, and nothing of OpenTelemetry is loaded. */
export function toTracingSettings(settings: TracingVariables): TracingSettings | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: full } = settings;
  const exporter = settings.OTEL_TRACES_EXPORTER ?? (base === undefined && full === undefined ? 'none' : 'otlp');
  if (exporter === 'none' || settings.OTEL_SDK_DISABLED) return null;
  return {
    url: full ?? `${(base ?? DEFAULT_ENDPOINT).replace(/\/+$/, '')}/v1/traces`,
    serviceName: settings.OTEL_SERVICE_NAME,
    sampler: settings.OTEL_TRACES_SAMPLER,
    ratio: Number(settings.OTEL_TRACES_SAMPLER_ARG),
  };
}
