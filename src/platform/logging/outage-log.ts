import { Logger } from '@nestjs/common';

const REMINDER_MS = 60_000;
const logs = new Map<string, OutageLog>();

/** Logs when a dependency becomes unavailable, once a minute while it stays unavailable, and when it is back. */
export class OutageLog {
  private readonly log = new Logger('Outage');
  private downSince: number | null = null;
  private reportedAt = 0;
  private failures = 0;

  private constructor(private readonly name: string) {}

  static forDependency(name: string): OutageLog {
    const known = logs.get(name) ?? new OutageLog(name);
    logs.set(name, known);
    return known;
  }

  get isDown(): boolean {
    return this.downSince !== null;
  }

  reportDown(reason: string): void {
    const now = performance.now();
    this.failures += 1;
    if (this.downSince !== null && now - this.reportedAt < REMINDER_MS) return;
    const duration = this.downSince === null ? '' : ` for ${seconds(now - this.downSince)}, ${this.failures} failures`;
    this.downSince ??= now;
    this.reportedAt = now;
    this.log.warn(`${this.name} is unavailable${duration}: ${reason}`);
  }

  reportUp(): void {
    if (this.downSince === null) return;
    this.log.log(
      `${this.name} is back after ${seconds(performance.now() - this.downSince)}, ${this.failures} failures`,
    );
    this.downSince = null;
    this.failures = 0;
  }
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 100) / 10} s`;
}
