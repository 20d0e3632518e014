import type { Ask } from '../crypto/data-key.js';

export interface LastBackup {
  /** All that was acknowledged until then is in it. */
  readonly takenAt: Date;
  readonly bytes: number;
}

/** null: no backup was ever finished, of this database or of the database that it was restored from. */
export async function readLastBackup(ask: Ask): Promise<LastBackup | null> {
  const [row] = await ask<LastBackup>('select taken_at as "takenAt", bytes::float8 as bytes from last_backup');
  return row ?? null;
}

export async function noteBackup(ask: Ask, { takenAt, bytes }: LastBackup): Promise<void> {
  await ask(
    `insert into last_backup (taken_at, bytes) values ($1, $2)
     on conflict (one) do update set taken_at = excluded.taken_at, bytes = excluded.bytes
     where last_backup.taken_at < excluded.taken_at`,
    [takenAt, bytes],
  );
}
