import { Logger } from '@nestjs/common';

const REMINDER_MS = 60_000;
const logs = new Map<string, OutageLog>();

/**
 * What this process says about one thing that it needs and that may be away: one line when it goes, one a minute while
 * it stays away, one when it is back. Everything that uses it shares the lines.
 */
export class OutageLog {
  private readonly log = new Logger('Outage');
  private since: number | null = null;
  private reportedAt = 0;
  private failures = 0;

  private constructor(private readonly name: string) {}

  static of(name: string): OutageLog {
    const known = logs.get(name) ?? new OutageLog(name);
    logs.set(name, known);
    return known;
  }

  get isOpen(): boolean {
    return this.since !== null;
  }

  away(reason: string): void {
    const now = performance.now();
    this.failures += 1;
    if (this.since !== null && now - this.reportedAt < REMINDER_MS) return;
    const duration = this.since === null ? '' : ` for ${seconds(now - this.since)}, ${this.failures} failures`;
    this.since ??= now;
    this.reportedAt = now;
    this.log.warn(`${this.name} is away${duration}: ${reason}`);
  }

  back(): void {
    if (this.since === null) return;
    this.log.log(`${this.name} is back after ${seconds(performance.now() - this.since)}, ${this.failures} failures`);
    this.since = null;
    this.failures = 0;
  }
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 100) / 10} s`;
}
