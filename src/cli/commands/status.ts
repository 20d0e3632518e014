import type { Command } from 'commander';
import type { Status } from '../../app/status.js';
import { withDatabase } from '../run-admin-command.js';
import { formatBytes, jsonCommand, pluralize, print, table } from '../terminal.js';

export function status(): Command {
  return jsonCommand('status').action(async ({ json }: { json?: boolean }) => {
    const { readStatus } = await import('../../app/status.js');
    const { askIn, withSession } = await import('../../platform/database/session.js');
    const found = await withDatabase(({ url }) => withSession(url, (session) => readStatus(askIn(session))));
    print(json, toView(found), toLines(found));
  });
}

function toView({ processes, overdueNames, dueDeliveries, lastBackup, databaseBytes, failingRegistries }: Status) {
  const toBacklog = ({ count, oldestSeconds }: Status['overdueNames']) => ({ count, oldest_seconds: oldestSeconds });
  return {
    processes: processes.map(({ role, version, host, pid, startedAt, seenAt, isSilent }) => ({
      role,
      version,
      host,
      pid,
      started_at: startedAt.toISOString(),
      heartbeat_at: seenAt.toISOString(),
      silent: isSilent,
    })),
    overdue_names: toBacklog(overdueNames),
    due_deliveries: toBacklog(dueDeliveries),
    last_backup: lastBackup && { taken_at: lastBackup.takenAt.toISOString(), bytes: lastBackup.bytes },
    database_bytes: databaseBytes,
    failing_registries: failingRegistries.map(({ operator, reason, until }) => ({
      operator,
      reason,
      until: until.toISOString(),
    })),
  };
}

function toLines({ processes, lastBackup, databaseBytes, failingRegistries, ...backlog }: Status): string[] {
  const rows = processes.map(({ role, version, host, pid, startedAt, seenAt, isSilent }) => [
    role,
    version,
    host,
    String(pid),
    startedAt.toISOString(),
    `${seenAt.toISOString()}${isSilent ? ' SILENT' : ''}`,
  ]);
  return [
    ...(rows.length > 0
      ? table(['role', 'version', 'host', 'pid', 'started', 'heartbeat'], rows)
      : ['No process runs.']),
    '',
    `Checks      ${describeBacklog(backlog.overdueNames, 'name', 'is overdue', 'are overdue')}`,
    `Deliveries  ${describeBacklog(backlog.dueDeliveries, 'delivery', 'is due', 'are due', 'deliveries')}`,
    `Backup      ${lastBackup === null ? 'none yet' : `${lastBackup.takenAt.toISOString()}, ${formatBytes(lastBackup.bytes)}`}`,
    `Database    ${formatBytes(databaseBytes)}`,
    `Registries  ${failingRegistries.length === 0 ? 'none fails' : ''}`.trimEnd(),
    ...failingRegistries.map(
      ({ operator, reason, until }) =>
        `  ${operator}: ${reason === 'block' ? 'asked for a pause' : 'failed too often'}, asked again at ${until.toISOString()}`,
    ),
  ];
}

function describeBacklog(
  { count, oldestSeconds }: Status['overdueNames'],
  noun: string,
  is: string,
  are: string,
  nouns = `${noun}s`,
): string {
  if (count === 0) return `no ${noun} ${is}`;
  return `${pluralize(count, noun, nouns)} ${count === 1 ? is : are}, the oldest for ${oldestSeconds} s`;
}
