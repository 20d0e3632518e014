import { Injectable, Logger } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { Config } from '../../config/config.js';
import { version } from '../outbound/user-agent.js';
import { withTimeout } from '../concurrency/with-timeout.js';

/** A value by the words of one label, or a single one. */
export type Reading = number | ReadonlyMap<string, number>;

/** A reading that takes longer has failed, for Prometheus waits ten seconds for all of them; milliseconds. */
const READ_TIMEOUT_MS = 2_000;

/** What this process tells Prometheus. Labels come from small closed sets, never from domains or accounts. */
@Injectable()
export class Metrics {
  private readonly log = new Logger(Metrics.name);
  private readonly registry = new Registry();

  constructor({ role, metricsPort }: Config) {
    if (metricsPort === null) return; // nobody reads them, and the defaults watch the event loop
    collectDefaultMetrics({ register: this.registry });
    const build = { name: 'namewatch_build_info', help: 'The version and role of the process.' };
    new Gauge({ ...build, labelNames: ['version', 'role'], registers: [this.registry] }).set({ version, role }, 1);
  }

  /**
   * Read at every scrape. While a reading fails its gauge has no value and the others keep theirs: nobody knows, which
   * neither a 0 nor the value of a while ago would say, and which alerts on absence are for.
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

/** At once, so that a scrape beside this one finds no gauge half set. */
function setGauge(gauge: Gauge, reading: Reading | null, label: string | undefined): void {
  gauge.reset(); // which makes one without a label 0
  if (reading === null) return label === undefined ? gauge.remove() : undefined;
  if (typeof reading === 'number') return gauge.set(reading);
  for (const [word, value] of reading) gauge.set(label === undefined ? {} : { [label]: word }, value);
}

/** Whoever asks while the answer is awaited gets the same one: scrapes of a silent database take no more connections. */
function shareInFlight<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let inFlight: Promise<Value> | null = null;
  return () => (inFlight ??= read().finally(() => (inFlight = null)));
}
