import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { after, Clock, SECOND } from '../../../kernel/clock.js';
import { type Breakage, broken, opensAfter } from '../../domain/circuit-breaker.js';
import { type Standing, StandingStatements } from './standing-statements.js';
import type { Ending } from './registry-gate.js';

const WELL: Standing = { blockedUntil: null, breakage: null };

/**
 * Which operators are left alone, and until when: they said so, or failed too often. Kept in the database, so that every
 * process knows within a second and a restart forgets nothing; while the database is away, what this process knows holds.
 */
@Injectable()
export class OperatorStandings implements OnModuleInit {
  private readonly log = new Logger(OperatorStandings.name);
  private standings = new Map<string, Standing>();
  /** When this process learned something that a reading of the database may not show yet. */
  private readonly learnedAt = new Map<string, number>();
  private readonly failures = new Map<string, number>();
  /** What the database would not take, for when it is back. */
  private readonly unwritten = new Map<string, () => Promise<unknown>>();

  constructor(
    private readonly statements: StandingStatements,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.refresh();
  }

  of(operator: string): Standing {
    return this.standings.get(operator) ?? WELL;
  }

  @Interval(SECOND)
  async refresh(): Promise<void> {
    const asked = performance.now();
    try {
      await this.writeLater();
      const read = await this.statements.read();
      for (const [operator, at] of this.learnedAt) {
        const learned = this.standings.get(operator);
        if (at < asked) this.learnedAt.delete(operator);
        else if (learned) read.set(operator, learned);
        else read.delete(operator);
      }
      this.standings = read;
    } catch (error) {
      this.log.warn(`what is known of the operators could not be read: ${(error as Error).message}`);
    }
  }

  /** Whether the one question that a broken operator is let through is this process's to ask. */
  async mayProbe(operator: string): Promise<boolean> {
    try {
      return await this.statements.claimProbe(operator);
    } catch (error) {
      this.log.warn(`${operator} is probed without knowing of other processes: ${(error as Error).message}`);
      return true;
    }
  }

  report(operator: string, ending: Ending): void {
    if (ending.kind === 'answered') return this.answered(operator);
    if (ending.kind === 'throttled' && ending.retryAfterSeconds !== null)
      return this.block(operator, after(this.clock.now(), ending.retryAfterSeconds * SECOND));
    this.failed(operator);
  }

  private answered(operator: string): void {
    this.failures.delete(operator);
    const { breakage, blockedUntil } = this.of(operator);
    if (!breakage) return;
    this.learn(operator, { blockedUntil, breakage: null });
    this.log.log(`${operator} answers again`);
    void this.write(operator, () => this.statements.mend(operator));
  }

  private failed(operator: string): void {
    const failures = (this.failures.get(operator) ?? 0) + 1;
    this.failures.set(operator, failures);
    const { breakage, blockedUntil } = this.of(operator);
    const now = this.clock.now();
    // While it is open only the probe is under way, and stragglers, whose failures are no news.
    if (breakage ? breakage.retryAt > now : !opensAfter(failures)) return;
    this.failures.delete(operator); // once it answers again they are no failures in a row
    const breaks: Breakage = broken(breakage, now);
    this.learn(operator, { blockedUntil, breakage: breaks });
    this.log.warn(
      `${operator} failed ${failures} times in a row, it is left alone until ${breaks.retryAt.toISOString()}`,
    );
    void this.write(operator, () => this.statements.break(operator, breaks));
  }

  private block(operator: string, until: Date): void {
    const { breakage, blockedUntil } = this.of(operator);
    const longest = blockedUntil && blockedUntil > until ? blockedUntil : until;
    this.learn(operator, { blockedUntil: longest, breakage });
    this.log.warn(`${operator} wants to be left alone until ${longest.toISOString()}`);
    void this.write(operator, () => this.statements.block(operator, longest));
  }

  private learn(operator: string, standing: Standing): void {
    this.learnedAt.set(operator, performance.now());
    this.standings.set(operator, standing);
  }

  private async write(operator: string, statement: () => Promise<unknown>): Promise<void> {
    try {
      await statement();
      this.unwritten.delete(operator);
      this.learnedAt.set(operator, performance.now());
    } catch (error) {
      this.unwritten.set(operator, statement);
      this.log.warn(`other processes do not know yet how ${operator} stands: ${(error as Error).message}`);
    }
  }

  private async writeLater(): Promise<void> {
    for (const [operator, statement] of this.unwritten) {
      await statement();
      this.unwritten.delete(operator);
    }
  }
}
