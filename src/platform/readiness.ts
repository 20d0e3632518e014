import { Injectable } from '@nestjs/common';
import { Statements } from './statements.js';

/** Throws when what it looks at cannot be used. */
export type ReadinessCheck = () => Promise<void>;

/** A check that takes longer has failed; milliseconds. */
const PATIENCE = 1_000;

export interface ReadinessReport {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, 'ok' | 'unavailable'>>;
}

/** What this process needs to do its work; modules add what they need. */
@Injectable()
export class Readiness {
  private readonly checks = new Map<string, ReadinessCheck>();

  constructor(statements: Statements) {
    this.add('database', async () => void (await statements.run({ name: 'ready', text: 'select 1' })));
  }

  add(name: string, check: ReadinessCheck): void {
    this.checks.set(name, check);
  }

  async report(): Promise<ReadinessReport> {
    const outcomes = await Promise.all(
      [...this.checks].map(async ([name, check]) => [name, (await succeeds(check)) ? 'ok' : 'unavailable'] as const),
    );
    return { ready: outcomes.every(([, outcome]) => outcome === 'ok'), checks: Object.fromEntries(outcomes) };
  }
}

async function succeeds(check: ReadinessCheck): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), PATIENCE);
  });
  const outcome = check().then(
    () => true,
    () => false,
  );
  const first = await Promise.race([outcome, late]);
  clearTimeout(timer);
  return first;
}
