import { Injectable, Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { type AuditAttributes, AuditTrail } from '../../auth/index.js';
import { SECOND } from '../../kernel/clock.js';
import { DomainError } from '../../kernel/domain-error.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { ImportRunRepository, type StoredImport, type WrittenEntries } from './import-runs.repository.js';
import { ImportRun } from './import-run.js';
import type { SyncOutcome } from './sync-watchlist.js';

/** The client of a stream may read so slowly that nothing is written for long. */
const SIGN_OF_LIFE_MS = 10 * SECOND;
/** Without a sign of life for so long, its process has probably died. */
const ABANDONED_AFTER_SECONDS = 60;
/** Pauses before each attempt to record an end: connections of the pool may have ended too, and a restart takes a moment. */
const PAUSES_MS = [0, SECOND / 10, SECOND, 2 * SECOND];
const INTERRUPTED = { interrupted: true };

/**
 * Leaves two records of an import, whose lines are written in many transactions: before the first and after the last.
 * Each of those transactions stores how much it wrote, so that the second record is true also when the import fails, its
 * client goes away or its process is killed: then another process writes it.
 */
@Injectable()
export class ImportAudit {
  private readonly log = new Logger(ImportAudit.name);

  constructor(
    private readonly audit: AuditTrail,
    private readonly runs: ImportRunRepository,
    private readonly work: UnitOfWork,
  ) {}

  /**
   * Passes the outcomes on. An import whose beginning cannot be recorded writes nothing.
   * @param start begins an import that writes by this run
   * @throws PartlyWritten for what interrupts it, and what refuses the file as a whole
   */
  async *follow(
    accountId: string,
    scopeTag: string | null,
    start: (run: ImportRun) => AsyncGenerator<SyncOutcome, void, void>,
  ): AsyncGenerator<SyncOutcome, void, void> {
    const origin = this.audit.origin(); // the response may be sent after the request's own work has ended
    const run = new ImportRun({ id: randomUUID(), accountId, scopeTag, origin }, this.work, this.runs);
    await this.recordStart(run.stored);
    const signOfLife = setInterval(() => void this.showLife(run), SIGN_OF_LIFE_MS).unref();
    let ending: AuditAttributes | null = INTERRUPTED;
    try {
      for await (const outcome of start(run)) {
        run.report(outcome);
        yield outcome;
      }
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

  /** Records the ends of imports whose processes died. Safe to run in several processes at once. @returns how many */
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

  private recordStart(run: StoredImport): Promise<void> {
    const { accountId, scopeTag, origin } = run;
    return this.work.run(async () => {
      const entry = {
        action: 'watchlist.import_started' as const,
        accountId,
        targetId: null,
        after: scopeOf(scopeTag),
      };
      await this.audit.record(entry, origin);
      await this.runs.add(run, { created: 0, changed: 0, removed: 0 });
    });
  }

  /** Uses transactions of its own: the connection of the import may be what has ended. */
  private async recordEnd(run: ImportRun, ending: AuditAttributes): Promise<void> {
    for (const [attempt, ms] of PAUSES_MS.entries())
      try {
        if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
        return await this.work.run(async () => {
          const written = await this.runs.take(run.stored.id);
          // What another process took for abandoned is in its record.
          const { created: _, changed: __, removed: ___, ...others } = run.reported;
          await this.insertEnd(run.stored, { ...(written && toAttributes(written)), ...others, ...ending });
        });
      } catch (error) {
        if (attempt === PAUSES_MS.length - 1) throw error;
      }
  }

  /** What led to this end is what the client has to hear of. */
  private async tryToRecordEnd(run: ImportRun, ending: AuditAttributes): Promise<void> {
    await this.recordEnd(run, ending).catch((error: unknown) =>
      this.log.warn(
        { err: error, import: run.stored.id },
        'the end of an import is recorded later, by a periodic task',
      ),
    );
  }

  private insertEnd({ accountId, scopeTag, origin }: StoredImport, after: AuditAttributes): Promise<void> {
    const entry = { action: 'watchlist.imported' as const, accountId, targetId: null };
    return this.audit.record({ ...entry, after: { ...after, ...scopeOf(scopeTag) } }, origin);
  }

  private async showLife({ stored }: ImportRun): Promise<void> {
    await this.runs
      .touch(stored.id)
      .catch((error: unknown) =>
        this.log.warn({ err: error, import: stored.id }, 'an import cannot show that it is at work'),
      );
  }
}

function scopeOf(scopeTag: string | null): AuditAttributes {
  return scopeTag === null ? {} : { scope_tag: scopeTag };
}

/** Leaves out what is 0. */
function toAttributes(written: WrittenEntries): AuditAttributes {
  return Object.fromEntries(Object.entries(written).filter(([, entries]) => entries > 0));
}
