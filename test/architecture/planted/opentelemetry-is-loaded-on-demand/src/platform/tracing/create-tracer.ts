// Breaks the rule: a static import loads the package in every process.
import { trace } from '@opentelemetry/api';

export const createTracer = async () => ({ trace, loaded: await import('./open-telemetry-tracer.js') });
