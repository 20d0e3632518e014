import { Injectable, Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { type AuditAttributes, AuditTrail } from '../../auth/index.js';
import { SECOND } from '../../kernel/clock.js';
import { DomainError } from '../../kernel/domain-error.js';
import { UniqueConstraintViolated, UnitOfWork } from '../../kernel/unit-of-work.js';
import { BulkRunRepository, type StoredRun, type WrittenEntries } from './bulk-runs.repository.js';
import { BulkRun } from './bulk-run.js';
import type { SyncOutcome } from './sync-watchlist.js';

/** The client of a stream may read so slowly that nothing is written for long. */
const SIGN_OF_LIFE_MS = 10 * SECOND;
/** Without a sign of life for so long, its process has probably died. */
const ABANDONED_AFTER_SECONDS = 60;
/** Pauses before each attempt to record an end: connections of the pool may have ended too, and a restart takes a moment. */
const PAUSES_MS = [0, SECOND / 10, SECOND, 2 * SECOND];
const INTERRUPTED = { interrupted: true };

/**
 * Leaves one record of what is written in many transactions, and of an import one before its first line. Each
 * transaction stores how much it wrote, so that the record is true also when the work fails, its client goes away or its
 * process is killed: then another process writes it.
 */
@Injectable()
export class BulkAudit {
  private readonly log = new Logger(BulkAudit.name);

  constructor(
    private readonly audit: AuditTrail,
    private readonly runs: BulkRunRepository,
    private readonly work: UnitOfWork,
  ) {}

  /**
   * Passes the outcomes of an import on.
   * @param start begins an import that writes by this run
   * @param signal keeps the next transaction from beginning, and is why
   * @throws what `follow` throws
   */
  async *followImport(
    accountId: string,
    scopeTag: string | null,
    start: (run: BulkRun) => AsyncGenerator<SyncOutcome, void, void>,
    signal: AbortSignal,
  ): AsyncGenerator<SyncOutcome, void, void> {
    const about = scopeTag === null ? {} : { scope_tag: scopeTag };
    const reported = async function* (run: BulkRun) {
      for await (const outcome of start(run)) {
        run.report(outcome);
        yield outcome;
      }
    };
    yield* this.follow({ action: 'watchlist.imported', accountId, about }, reported, signal);
  }

  /**
   * Passes on what the work yields. Work whose beginning cannot be stored writes nothing.
   * @param start begins work that writes by this run
   * @param signal keeps the next transaction from beginning, and is why
   * @throws PartlyWritten for what interrupts it, and what refuses it as a whole
   */
  async *follow<Outcome>(
    work: Pick<StoredRun, 'action' | 'accountId' | 'about'>,
    start: (run: BulkRun) => AsyncGenerator<Outcome, void, void>,
    signal: AbortSignal,
  ): AsyncGenerator<Outcome, void, void> {
    const origin = this.audit.origin(); // the response may be sent after the request's own work has ended
    const stored = { ...work, id: randomUUID(), auditId: this.audit.newId(), origin };
    const run = new BulkRun(stored, this.work, this.runs, signal);
    await this.recordStart(stored);
    const signOfLife = setInterval(() => void this.showLife(run), SIGN_OF_LIFE_MS).unref();
    let ending: AuditAttributes | null = INTERRUPTED;
    try {
      yield* start(run);
      await this.recordEnd(run, {});
      ending = null;
    } catch (error) {
      if (!(error instanceof DomainError && run.isRefusedBy(error))) throw run.interruptedBy(error);
      ending = { refused: error.code };
      throw error;
    } finally {
      clearInterval(signOfLife);
      if (ending) await this.tryToRecordEnd(run, ending);
    }
  }

  /** Records the ends of work whose processes died. Safe to run in several processes at once. @returns how many */
  async finishAbandoned(): Promise<number> {
    for (let finished = 0; ; finished += 1) {
      const isFinished = await this.work.run(async () => {
        const abandoned = await this.runs.takeAbandoned(ABANDONED_AFTER_SECONDS);
        if (abandoned) await this.insertEnd(abandoned, { ...toAttributes(abandoned.written), ...INTERRUPTED });
        return abandoned !== null;
      });
      if (!isFinished) return finished;
    }
  }

  private async recordStart(run: StoredRun): Promise<void> {
    const { action, accountId, auditId: targetId, about: after, origin } = run;
    const isImport = action === 'watchlist.imported';
    if (!isImport) await this.rehearseEnd(run);
    await this.work.run(async () => {
      const start = { action: 'watchlist.import_started', accountId, targetId, after } as const;
      if (isImport) await this.audit.record(start, origin);
      await this.runs.add(run, { created: 0, changed: 0, removed: 0 });
    });
  }

  /** Writes the record and takes it back: what keeps it from being written keeps the work from beginning. */
  private async rehearseEnd(run: StoredRun): Promise<void> {
    const takenBack = new Error('only a rehearsal');
    const rehearsal = this.work.run(async () => {
      await this.insertEnd(run, {});
      throw takenBack;
    });
    await rehearsal.catch((error: unknown) => {
      if (error !== takenBack) throw error;
    });
  }

  /** Uses transactions of its own: the connection of the work may be what has ended. */
  private async recordEnd(run: BulkRun, ending: AuditAttributes): Promise<void> {
    let { auditId } = run.stored;
    for (const [attempt, ms] of PAUSES_MS.entries())
      try {
        if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
        return await this.work.run(async () => {
          const written = await this.runs.take(run.stored.id);
          // What another process took for abandoned is in its record.
          const { created: _, changed: __, removed: ___, ...others } = run.reported;
          const after = { ...(written && toAttributes(written)), ...others, ...ending };
          await this.insertEnd({ ...run.stored, auditId }, after);
        });
      } catch (error) {
        if (error instanceof UniqueConstraintViolated) auditId = this.audit.newId(); // the other process's record has it
        if (attempt === PAUSES_MS.length - 1) throw error;
      }
  }

  /** What led to this end is what the client has to hear of. */
  private async tryToRecordEnd(run: BulkRun, ending: AuditAttributes): Promise<void> {
    await this.recordEnd(run, ending).catch((error: unknown) =>
      this.log.warn(
        { err: error, run: run.stored.id, action: run.stored.action },
        'the end of an import or change is recorded later, by a periodic task',
      ),
    );
  }

  private insertEnd({ action, auditId, accountId, about, origin }: StoredRun, after: AuditAttributes): Promise<void> {
    const entry = { action, accountId, targetId: null, after: { ...after, ...about } };
    return this.audit.record(entry, origin, auditId);
  }

  private async showLife({ stored }: BulkRun): Promise<void> {
    await this.runs
      .touch(stored.id)
      .catch((error: unknown) =>
        this.log.warn({ err: error, run: stored.id, action: stored.action }, 'it cannot show that it is at work'),
      );
  }
}

/** Leaves out what is 0. */
function toAttributes(written: WrittenEntries): AuditAttributes {
  return Object.fromEntries(Object.entries(written).filter(([, entries]) => entries > 0));
}
