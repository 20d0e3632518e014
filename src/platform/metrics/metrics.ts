import { Injectable, Logger } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { MetricsConfig } from '../../config/sections.js';
import { version } from '../outbound/user-agent.js';
import { withTimeout } from '../../kernel/promises.js';

export interface LabelledValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The current values of a gauge: a single value, values by their only label, or values with several labels. */
export type Reading = number | ReadonlyMap<string, number> | readonly LabelledValue[];

/**
 * The time limit for reading one gauge. The limit is short, because Prometheus waits only ten seconds for all gauges.
 */
export const READ_TIMEOUT_MS = 2_000;

/** The default limit for the number of values of one gauge. Further values are left out. */
const MAX_VALUES = 1_000;

/** Histogram bounds, from the duration of a cached response to the duration of a lookup that times out. */
const DURATION_BOUNDS_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The metrics of this process. A label must have few possible values, and contain no domain or account. */
@Injectable()
export class Metrics {
  private readonly log = new Logger(Metrics.name);
  private readonly registry = new Registry();

  constructor({ role, metricsPort }: MetricsConfig) {
    if (metricsPort === null) return; // avoids the cost of default metrics while nobody reads them
    collectDefaultMetrics({ register: this.registry });
    const build = { name: 'namewatch_build_info', help: 'The version and role of the process.' };
    new Gauge({ ...build, labelNames: ['version', 'role'], registers: [this.registry] }).set({ version, role }, 1);
  }

  /**
   * If a scrape cannot read the gauge, the gauge is missing from that scrape, so that alerts can detect the failure.
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
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect: async () => {
        const reading = await withTimeout(READ_TIMEOUT_MS, readOnce()).catch((error: Error) => {
          this.log.warn(`${name} could not be read: ${error.message}`);
          return null;
        });
        setGauge(gauge, reading, labelNames, maxValues);
      },
    });
  }

  counter(name: `namewatch_${string}_total`, help: string, limits: LabelLimits): BoundedCounter {
    const labels = new BoundedLabels(limits);
    const counter = new Counter({ name, help, labelNames: labels.names, registers: [this.registry] });
    return { increment: (...given) => counter.inc(labels.fold(given)) };
  }

  histogram(
    name: `namewatch_${string}_seconds`,
    help: string,
    limits: LabelLimits,
    upperBounds: readonly number[] = DURATION_BOUNDS_SECONDS,
  ): BoundedHistogram {
    const labels = new BoundedLabels(limits);
    const buckets = [...upperBounds];
    const histogram = new Histogram({ name, help, labelNames: labels.names, buckets, registers: [this.registry] });
    return { observe: (seconds, ...given) => histogram.observe(labels.fold(given), seconds) };
  }

  async expose(): Promise<{ readonly type: string; readonly text: string }> {
    return { type: this.registry.contentType, text: await this.registry.metrics() };
  }
}

/** Sets all values synchronously, so that a concurrent scrape never sees a half-set gauge. */
function setGauge(gauge: Gauge, reading: Reading | null, labelNames: readonly string[], maxValues: number): void {
  gauge.reset(); // a gauge without labels is now 0, not absent
  if (reading === null) return labelNames.length === 0 ? gauge.remove() : undefined;
  if (typeof reading === 'number') return gauge.set(reading);
  const [label = ''] = labelNames;
  const values =
    'length' in reading ? reading : [...reading].map(([word, value]) => ({ labels: { [label]: word }, value }));
  for (const { labels, value } of values.slice(0, maxValues)) gauge.set(labels, value);
}

/** Lets concurrent calls share one result. So several scrapes of a slow database take only one connection. */
function shareInFlight<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let inFlight: Promise<Value> | null = null;
  return () => (inFlight ??= read().finally(() => (inFlight = null)));
}

/** Limits how many different values each label has. At the limit, new values become `other`. */
type LabelLimits = Readonly<Record<string, number>>;

export interface BoundedCounter {
  increment(...labels: readonly string[]): void;
}

export interface BoundedHistogram {
  observe(seconds: number, ...labels: readonly string[]): void;
}

/** This label value replaces new values beyond the limit, and values with unsafe characters. */
const OTHER = 'other';
/** Label values may have this form. It allows the names of hosts, routes, codes, types and operators. */
const SAFE_VALUE = /^[\w.:/*{}[\]-][\w.:/*{}[\] -]{0,99}$/;

/** Replaces label values beyond a limit, so that the number of time series stays bounded. */
class BoundedLabels {
  private readonly known: readonly { readonly name: string; readonly limit: number; readonly values: Set<string> }[];

  constructor(limits: LabelLimits) {
    this.known = Object.entries(limits).map(([name, limit]) => ({ name, limit, values: new Set() }));
  }

  get names(): string[] {
    return this.known.map(({ name }) => name);
  }

  fold(given: readonly string[]): Record<string, string> {
    return Object.fromEntries(
      this.known.map(({ name, limit, values }, position) => [name, admit(given[position] ?? '', limit, values)]),
    );
  }
}

function admit(value: string, limit: number, values: Set<string>): string {
  if (values.has(value)) return value;
  if (values.size >= limit || !SAFE_VALUE.test(value)) return OTHER;
  values.add(value);
  return value;
}
