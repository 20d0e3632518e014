import type { Ask } from '../crypto/data-key.js';

export interface LastBackup {
  /** The backup contains everything that the service had confirmed to clients before this time. */
  readonly takenAt: Date;
  readonly bytes: number;
}

/** Returns the newest finished backup. A restored database does not know the backup from which it was restored. */
export async function readLastBackup(ask: Ask): Promise<LastBackup | null> {
  const [row] = await ask<LastBackup>(
    `select backup_taken_at as "takenAt", backup_bytes::float8 as bytes from database_state
     where backup_taken_at is not null`,
  );
  return row ?? null;
}

export async function noteBackup(ask: Ask, { takenAt, bytes }: LastBackup): Promise<void> {
  await ask(
    `update database_state set backup_taken_at = $1, backup_bytes = $2
     where backup_taken_at is null or backup_taken_at < $1`,
    [takenAt, bytes],
  );
}
