import type { Command } from 'commander';
import { print } from '../terminal.js';
import { type Connection, getJson, apiCommand } from '../api-client.js';

interface Me {
  readonly account: { readonly id: string; readonly name: string; readonly plan: string };
  readonly limits: Readonly<Record<'entries' | 'channels' | 'requests_per_minute', number | null>>;
  readonly use: { readonly entries: number; readonly channels: number };
  readonly key: {
    readonly id: string;
    readonly name: string;
    readonly scopes: readonly string[];
    readonly expires_at: string | null;
    readonly issued_by: string | null;
  };
}

export function whoami(): Command {
  return apiCommand('whoami')
    .description('show the account and the key that commands use, and how much of its plan is used')
    .action(async (options: Connection & { json?: boolean }) => {
      const me = (await getJson('/v1/me', options)) as Me;
      print(options.json, me, toLines(me));
    });
}

function toLines({ account, limits, use, key }: Me): string[] {
  const expiry = key.expires_at === null ? 'does not expire' : `expires ${key.expires_at}`;
  const of = (used: number, limit: number | null) => (limit === null ? `${used}` : `${used} of ${limit}`);
  return [
    `Account   ${account.id} (${account.name})`,
    `Plan      ${account.plan}`,
    `Key       ${key.id} (${key.name}), ${expiry}, issued by ${key.issued_by ?? 'unknown'}`,
    `Scopes    ${key.scopes.join(' ')}`,
    `Entries   ${of(use.entries, limits.entries)}`,
    `Channels  ${of(use.channels, limits.channels)}`,
    `Requests  ${limits.requests_per_minute === null ? 'no limit' : `${limits.requests_per_minute} a minute`}`,
  ];
}
