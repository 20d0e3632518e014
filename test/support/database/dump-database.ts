import { once } from 'node:events';
import { connect } from 'node:net';
import { withSession } from '../../../src/platform/database/session.js';

/** Everything that a database holds, as text: each row of each table of every schema of ours. */
export function dumpDatabase(databaseUrl: string): Promise<string> {
  return withSession(databaseUrl, async (database) => {
    const { rows: tables } = await database.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await database.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`);
      texts.push(name, ...rows.map(({ row }) => row));
    }
    return texts.join('\n');
  });
}

/**
 * Records every command that is sent to a Redis, since much of what it holds is soon gone. Reads the socket itself:
 * ioredis 6 breaks off when the first recorded command comes in one packet with the answer to MONITOR.
 */
export async function redisCommands(url: string): Promise<{ text: () => string; close: () => void }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  let received = '';
  socket.on('data', (chunk: string) => void (received += chunk));
  await once(socket, 'connect');
  socket.write('MONITOR\r\n');
  await once(socket, 'data');
  if (!received.startsWith('+OK\r\n')) throw new Error(`Redis did not accept MONITOR: ${received}`);
  return { text: () => received, close: () => void socket.destroy() };
}

/** The names of those secrets that a text holds, in clear or in another spelling that anybody can read. */
export function leaksIn(text: string, secrets: Readonly<Record<string, string>>): string[] {
  const spellings = (secret: string) => [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('base64url'),
  ];
  return Object.entries(secrets).flatMap(([name, secret]) =>
    spellings(secret).some((spelling) => text.includes(spelling)) ? [name] : [],
  );
}
