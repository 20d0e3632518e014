import { Injectable, Logger } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { MetricsConfig } from '../../config/sections.js';
import { version } from '../outbound/user-agent.js';
import { withTimeout } from '../../kernel/with-timeout.js';

/** A single value, or values by label. */
export type Reading = number | ReadonlyMap<string, number>;

/** Prometheus waits ten seconds for all readings together. */
const READ_TIMEOUT_MS = 2_000;

/** Metrics of this process. Labels come from small closed sets, never from domains or accounts. */
@Injectable()
export class Metrics {
  private readonly log = new Logger(Metrics.name);
  private readonly registry = new Registry();

  constructor({ role, metricsPort }: MetricsConfig) {
    if (metricsPort === null) return; // unused, and the default metrics monitor the event loop
    collectDefaultMetrics({ register: this.registry });
    const build = { name: 'namewatch_build_info', help: 'The version and role of the process.' };
    new Gauge({ ...build, labelNames: ['version', 'role'], registers: [this.registry] }).set({ version, role }, 1);
  }

  /**
   * Read at every scrape. While a reading fails its gauge is absent, which alerts can detect; 0 or a stale value would
   * be wrong.
   */
  gauge(name: `namewatch_${string}`, help: string, read: () => Promise<Reading>, label?: string): void {
    const labelNames = label === undefined ? [] : [label];
    const readOnce = shareInFlight(read);
    const gauge = new Gauge({
      ...{ name, help, labelNames, registers: [this.registry] },
      collect: async () => {
        const reading = await withTimeout(READ_TIMEOUT_MS, readOnce()).catch((error: Error) => {
          this.log.warn(`${name} could not be read: ${error.message}`);
          return null;
        });
        setGauge(gauge, reading, label);
      },
    });
  }

  /** In the text format of Prometheus, with its content type. */
  async expose(): Promise<{ readonly type: string; readonly text: string }> {
    return { type: this.registry.contentType, text: await this.registry.metrics() };
  }
}

/** Synchronous, so that a concurrent scrape never sees a half-set gauge. */
function setGauge(gauge: Gauge, reading: Reading | null, label: string | undefined): void {
  gauge.reset(); // sets a gauge without labels to 0
  if (reading === null) return label === undefined ? gauge.remove() : undefined;
  if (typeof reading === 'number') return gauge.set(reading);
  for (const [word, value] of reading) gauge.set(label === undefined ? {} : { [label]: word }, value);
}

/** Concurrent calls share one result: scrapes of a silent database take no more connections. */
function shareInFlight<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let inFlight: Promise<Value> | null = null;
  return () => (inFlight ??= read().finally(() => (inFlight = null)));
}
