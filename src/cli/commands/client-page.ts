import type { ClientPages, MadeClientPage } from '#client';
import { Command } from 'commander';
import { parseWholeNumber, print, table } from '../terminal.js';
import { apiCommand, type ApiOptions, callApi, requestJson, resolveConnection } from '../api-client.js';

const DAY_MS = 86_400_000;

export function clientPage(): Command {
  return new Command('client-page').addCommand(make()).addCommand(list()).addCommand(revoke());
}

interface MakeOptions extends ApiOptions {
  readonly title?: string;
  readonly days?: number;
}

function make(): Command {
  return apiCommand('make')
    .description('make a page with the names that have all of these tags')
    .argument('<tag...>', 'tags of the names; the page does not show them')
    .option('--title <title>', 'the heading of the page')
    .option('--days <days>', 'end the page after so many days', parseWholeNumber(3_650))
    .action(async (tags: string[], { json, title, days, ...connection }: MakeOptions) => {
      const end = days === undefined ? {} : { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() };
      const body = { tags, title, ...end };
      const made = await requestJson<MadeClientPage>('/v1/client-pages', connection, { method: 'POST', json: body });
      const url = new URL(made.url, resolveConnection(connection).url).href;
      print(json, { ...made, url }, [
        url,
        `The address is shown this once: everybody who has it reads these names. Its id is ${made.id}.`,
      ]);
    });
}

function list(): Command {
  return apiCommand('list')
    .description('list the pages that open, and on which day each was opened last')
    .action(async ({ json, ...connection }: ApiOptions) => {
      const { data } = await requestJson<ClientPages>('/v1/client-pages', connection);
      const rows = data.map(({ id, title, tags, expires_at: end, opened, last_opened_on: day }) => [
        id,
        title ?? '-',
        tags.join(', '),
        end ?? 'never',
        String(opened),
        day ?? 'never',
      ]);
      const head = ['ID', 'TITLE', 'TAGS', 'ENDS', 'OPENED', 'LAST'];
      print(json, { data }, rows.length > 0 ? table(head, rows) : ['no client pages']);
    });
}

function revoke(): Command {
  return apiCommand('revoke')
    .description('revoke a page')
    .argument('<id>', 'its id, adr_…')
    .action(async (id: string, { json, ...connection }: ApiOptions) => {
      await callApi(`/v1/client-pages/${encodeURIComponent(id)}`, connection, { method: 'DELETE' });
      print(json, { id, revoked: true }, [`${id} opens nothing any more.`]);
    });
}
