import type { BulkCheck, Check } from '#client';
import type { Command } from 'commander';
import { print, toPrintable } from '../terminal.js';
import { apiCommand, callApi, type ApiOptions, type Connection, getJson } from '../api-client.js';
import { CommandError, EXIT } from '../exit-codes.js';

interface Options extends ApiOptions {
  readonly exitStatus?: boolean;
  readonly tlds?: string;
}

const NOT_AVAILABLE_EXIT_CODE = 10;

export function check(): Command {
  return apiCommand('check')
    .description('say whether a name can be registered')
    .argument('<domain>', 'a name; with --tlds one label')
    .option('--tlds <list>', 'check the label below each of these suffixes, comma-separated: com,net,co.uk')
    .option('--exit-status', `exit with ${NOT_AVAILABLE_EXIT_CODE} unless the name, or each of them, is available`)
    .action(async (domain: string, { json, exitStatus, tlds, ...connection }: Options) => {
      const areAvailable =
        tlds === undefined
          ? await checkName(domain, connection, json)
          : await checkLabel(domain, tlds, connection, json);
      if (exitStatus && !areAvailable) throw new CommandError(NOT_AVAILABLE_EXIT_CODE, '');
    });
}

async function checkName(domain: string, connection: Connection, json?: boolean): Promise<boolean> {
  const path = `/v1/domains/check?domain=${encodeURIComponent(domain)}`;
  const answer = (await getJson(path, connection)) as Check;
  print(json, answer, [describe(answer)]);
  return answer.available;
}

/** Names without an answer are reported on stderr, and end the command as failed. */
async function checkLabel(label: string, list: string, connection: Connection, json?: boolean): Promise<boolean> {
  const body = { label, tlds: list.split(',').map((tld) => tld.trim()) };
  const response = await callApi('/v1/domains/check', connection, { method: 'POST', json: body });
  const { data, meta } = (await response.json()) as BulkCheck;
  const results = data.flatMap(({ result }) => result ?? []);
  if (json || results.length > 0) print(json, { data, meta }, results.map(describe));
  if (!json)
    for (const { domain, error } of data)
      if (error) console.error(toPrintable(`${domain} ${error.code}: ${error.detail}`));
  if (meta.failed > 0) throw new CommandError(EXIT.failed, '');
  return results.every(({ available }) => available);
}

function describe({ domain, status, expires_at }: Check): string {
  const expiry = expires_at === null ? '' : `, expires ${expires_at}`;
  return `${domain} is ${status.replace('_', ' ')}${expiry}`;
}
