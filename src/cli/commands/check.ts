import type { BulkCheck, Check } from '#client';
import type { Command } from 'commander';
import { parseList, print, readInput, toPrintable } from '../terminal.js';
import { apiCommand, callApi, type ApiOptions, type Connection, requestJson, readMessages } from '../api-client.js';
import { CommandError, EXIT } from '../exit-codes.js';

interface Options extends ApiOptions {
  readonly exitStatus?: boolean;
  readonly tlds?: string;
}

const NOT_AVAILABLE_EXIT_CODE = 10;

export function check(): Command {
  return apiCommand('check')
    .argument('<domain...>', 'names, or - for those on standard input; with --tlds one label')
    .option('--tlds <list>', 'check the label below each of these suffixes, comma-separated: com,net,co.uk')
    .option('--exit-status', `exit with ${NOT_AVAILABLE_EXIT_CODE} unless the name, or each of them, is available`)
    .action(async (given: readonly string[], { json, exitStatus, tlds, ...connection }: Options) => {
      const domains = await readNames(given);
      const [domain = ''] = domains;
      if (tlds !== undefined && domains.length > 1) throw new CommandError(EXIT.usage, '--tlds takes one label');
      const isOne = domains.length === 1 && tlds === undefined;
      const body = tlds === undefined ? { domains } : { label: domain, tlds: parseList(tlds) };
      const areAvailable = isOne ? await checkOne(domain, connection, json) : await checkMany(body, connection, json);
      if (exitStatus && !areAvailable) throw new CommandError(NOT_AVAILABLE_EXIT_CODE, '');
    });
}

/**
 * Returns the given names. Instead of `-`, reads names from standard input, separated by lines, spaces, commas or
 * semicolons.
 */
async function readNames(given: readonly string[]): Promise<readonly string[]> {
  if (!given.includes('-')) return given;
  const names = (await readInput('-')).toString('utf8').split(/[\s,;]+/);
  return [...given.filter((name) => name !== '-'), ...names.filter((name) => name !== '')];
}

async function checkOne(domain: string, connection: Connection, json?: boolean): Promise<boolean> {
  const path = `/v1/domains/check?domain=${encodeURIComponent(domain)}`;
  const answer = await requestJson<Check>(path, connection);
  print(json, answer, [describe(answer)]);
  return answer.available;
}

type Item = BulkCheck['data'][number];
type Message = (Item & { readonly index: number }) | Pick<BulkCheck, 'meta'>;

/** Prints each result as it arrives, or with `json` one object at the end. Fails if a name has no result. */
async function checkMany(body: object, connection: Connection, json?: boolean): Promise<boolean> {
  const headers = { accept: 'application/x-ndjson' };
  const response = await callApi('/v1/domains/check', connection, { method: 'POST', json: body, headers });
  const data: Item[] = [];
  for await (const message of readMessages<Message>(response)) {
    if ('meta' in message) {
      if (json) print(json, { data, meta: message.meta }, []);
      if (message.meta.failed > 0) throw new CommandError(EXIT.failed, '');
      return data.every(({ result }) => result?.available);
    }
    const { index, ...item } = message;
    data[index] = item;
    if (!json) report(item);
  }
  throw new CommandError(EXIT.failed, 'the service ended its answer too early: check the names again');
}

function report({ domain, result, error }: Item): void {
  if (result) print(false, result, [describe(result)]);
  else if (error) console.error(toPrintable(`${domain} ${error.code}: ${error.detail}`));
}

function describe({ domain, status, expires_at }: Check): string {
  const expiry = expires_at === null ? '' : `, expires ${expires_at}`;
  return `${domain} is ${status.replace('_', ' ')}${expiry}`;
}
