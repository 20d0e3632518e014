import type { Me } from '#client';
import type { Command } from 'commander';
import { print } from '../terminal.js';
import { type ApiOptions, apiCommand, requestJson } from '../api-client.js';

export function whoami(): Command {
  return apiCommand('whoami').action(async (options: ApiOptions) => {
    const me = await requestJson<Me>('/v1/me', options);
    print(options.json, me, toLines(me));
  });
}

export function toLines({ account, limits, use, key, identity }: Me): string[] {
  const of = (used: number, limit: number | null) => (limit === null ? `${used}` : `${used} of ${limit}`);
  const issuer = key?.issued_by ?? 'unknown';
  return [
    `Account   ${account.id} (${account.name})`,
    `Plan      ${account.plan}`,
    ...(key ? [`Key       ${key.id} (${key.name}), ${expiryOf(key)}, issued by ${issuer}`] : []),
    ...(identity ? [`Identity  ${nameOf(identity)} by ${identity.authenticator}, ${expiryOf(identity)}`] : []),
    `Scopes    ${(key ?? identity)?.scopes.join(' ') ?? ''}`,
    `Entries   ${of(use.entries, limits.entries)}`,
    `Channels  ${of(use.channels, limits.channels)}`,
    `Requests  ${limits.requests_per_minute === null ? 'no limit' : `${limits.requests_per_minute} a minute`}`,
  ];
}

function expiryOf({ expires_at }: { readonly expires_at: string | null }): string {
  return expires_at === null ? 'does not expire' : `expires ${expires_at}`;
}

function nameOf({ subject, name }: NonNullable<Me['identity']>): string {
  return name === null ? subject : `${subject} (${name})`;
}
