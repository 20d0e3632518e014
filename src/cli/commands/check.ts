import { Command } from 'commander';
import { print } from '../run-admin-command.js';
import { type Connection, getJson } from '../api/api-client.js';
import { CommandError } from '../exit-codes.js';

interface Options extends Connection {
  readonly json?: boolean;
  readonly exitStatus?: boolean;
}

interface CheckResponse {
  readonly domain: string;
  readonly available: boolean;
  readonly status: string;
  readonly expires_at: string | null;
  readonly checked_at: string;
}

const NOT_AVAILABLE_EXIT_CODE = 10;

export function check(): Command {
  return new Command('check')
    .description('say whether a name can be registered')
    .argument('<domain>')
    .option('--url <url>', 'the service to ask')
    .option('--key <key>', 'the API key to ask with')
    .option('--exit-status', `exit with ${NOT_AVAILABLE_EXIT_CODE} unless the name is available`)
    .option('--json', 'one line of JSON')
    .action(async (domain: string, { json, exitStatus, ...connection }: Options) => {
      const answer = (await getJson(
        `/v1/domains/check?domain=${encodeURIComponent(domain)}`,
        connection,
      )) as CheckResponse;
      const expiry = answer.expires_at === null ? '' : `, expires ${answer.expires_at}`;
      print(json, answer, [`${answer.domain} is ${answer.status.replace('_', ' ')}${expiry}`]);
      if (exitStatus && !answer.available) throw new CommandError(NOT_AVAILABLE_EXIT_CODE, '');
    });
}
