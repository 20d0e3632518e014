import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { Config } from '../../config.js';
import { version } from '../outbound/user-agent.js';

/** A value by the words of one label, or a single one. */
export type Reading = number | ReadonlyMap<string, number>;

/** What this process tells Prometheus. Labels come from small closed sets, never from domains or accounts. */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();

  constructor({ role, metricsPort }: Config) {
    if (metricsPort === null) return; // nobody reads them, and the defaults watch the event loop
    collectDefaultMetrics({ register: this.registry });
    const build = { name: 'namewatch_build_info', help: 'The version and role of the process.' };
    new Gauge({ ...build, labelNames: ['version', 'role'], registers: [this.registry] }).set({ version, role }, 1);
  }

  /** Read at every scrape. A reading that fails leaves the gauge out, which is what alerts on absence are for. */
  gauge(name: `namewatch_${string}`, help: string, read: () => Promise<Reading>, label?: string): void {
    const labelNames = label === undefined ? [] : [label];
    const gauge = new Gauge({
      ...{ name, help, labelNames, registers: [this.registry] },
      collect: async () => {
        gauge.reset();
        set(gauge, await read(), label);
      },
    });
  }

  /** In the text format of Prometheus, with its content type. */
  async expose(): Promise<{ readonly type: string; readonly text: string }> {
    return { type: this.registry.contentType, text: await this.registry.metrics() };
  }
}

function set(gauge: Gauge, reading: Reading, label: string | undefined): void {
  if (typeof reading === 'number') return gauge.set(reading);
  for (const [word, value] of reading) gauge.set(label === undefined ? {} : { [label]: word }, value);
}
