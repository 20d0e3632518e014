import { Injectable, Logger } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { MetricsConfig } from '../../config/sections.js';
import { version } from '../outbound/user-agent.js';
import { withTimeout } from '../../kernel/promises.js';
import { BoundedCounter, BoundedHistogram, type MetricName, type LabelLimits } from './bounded-metrics.js';

/** A value with all labels of its gauge. */
export interface LabelledValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A single value, values by the only label, or values with several labels. */
export type Reading = number | ReadonlyMap<string, number> | readonly LabelledValue[];

/** Prometheus waits ten seconds for all readings together. */
export const READ_TIMEOUT_MS = 2_000;

/** Values of one gauge; what is beyond is left out. A gauge whose values are the administrator's choice has its own. */
const MAX_VALUES = 1_000;

/** The bounds reach from a cached answer to a lookup or delivery that ends by its timeout. */
const DURATION_BOUNDS_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

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
  gauge(
    name: `namewatch_${string}`,
    help: string,
    read: () => Promise<Reading>,
    labels: string | readonly string[] = [],
    maxValues = MAX_VALUES,
  ): void {
    const labelNames = [labels].flat();
    const readOnce = shareInFlight(read);
    const gauge = new Gauge({
      ...{ name, help, labelNames, registers: [this.registry] },
      collect: async () => {
        const reading = await withTimeout(READ_TIMEOUT_MS, readOnce()).catch((error: Error) => {
          this.log.warn(`${name} could not be read: ${error.message}`);
          return null;
        });
        setGauge(gauge, reading, labelNames, maxValues);
      },
    });
  }

  /** Its name ends in `_total`. Label values beyond their limits count as `other`. */
  counter(name: `namewatch_${string}_total`, help: string, limits: LabelLimits = {}): BoundedCounter {
    return new BoundedCounter({ name, help }, limits, this.registry);
  }

  /** Measures durations; its name ends in `_seconds`. Label values beyond their limits count as `other`. */
  histogram(
    name: `namewatch_${string}_seconds`,
    help: string,
    limits: LabelLimits = {},
    upperBounds: readonly number[] = DURATION_BOUNDS_SECONDS,
  ): BoundedHistogram {
    const metric: MetricName = { name, help };
    return new BoundedHistogram(metric, limits, upperBounds, this.registry);
  }

  /** Returns the text format of Prometheus, with its content type. */
  async expose(): Promise<{ readonly type: string; readonly text: string }> {
    return { type: this.registry.contentType, text: await this.registry.metrics() };
  }
}

/** Synchronous, so that a concurrent scrape never sees a half-set gauge. */
function setGauge(gauge: Gauge, reading: Reading | null, labelNames: readonly string[], maxValues: number): void {
  gauge.reset(); // sets a gauge without labels to 0
  if (reading === null) return labelNames.length === 0 ? gauge.remove() : undefined;
  if (typeof reading === 'number') return gauge.set(reading);
  const [label = ''] = labelNames;
  const values = isArray(reading)
    ? reading
    : [...reading].map(([word, value]) => ({ labels: { [label]: word }, value }));
  for (const { labels, value } of values.slice(0, maxValues)) gauge.set(labels, value);
}

/** `Array.isArray` does not narrow readonly arrays. */
function isArray(reading: Exclude<Reading, number>): reading is readonly LabelledValue[] {
  return Array.isArray(reading);
}

/** Concurrent calls share one result: scrapes of a silent database take no more connections. */
function shareInFlight<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let inFlight: Promise<Value> | null = null;
  return () => (inFlight ??= read().finally(() => (inFlight = null)));
}
