import { InvalidConfigurationError } from '../../config/invalid-configuration.error.js';
import type { TracingConfig } from '../../config/sections.js';
import type { TracingSettings } from '../../config/tracing-settings.js';
import { NO_TRACER, type Tracer } from '../../kernel/tracing/tracer.js';

type LoadTracer = (settings: TracingSettings) => Promise<Tracer>;

const PACKAGES =
  '@opentelemetry/api @opentelemetry/sdk-trace @opentelemetry/resources @opentelemetry/exporter-trace-otlp-http';

/** Optional packages are missing where they were left out, as in the image. */
const loadOpenTelemetry: LoadTracer = async (settings) => {
  const { OpenTelemetryTracer } = await import('./open-telemetry-tracer.js');
  return new OpenTelemetryTracer(settings);
};

/**
 * Loads OpenTelemetry only where traces are wanted.
 * @throws InvalidConfigurationError when its packages are not installed
 */
export async function createTracer({ tracing }: TracingConfig, load = loadOpenTelemetry): Promise<Tracer> {
  if (tracing === null) return NO_TRACER;
  try {
    return await load(tracing);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const problem = `OTEL_EXPORTER_OTLP_ENDPOINT: traces need optional packages: npm install ${PACKAGES}`;
    throw new InvalidConfigurationError([problem], { cause });
  }
}
