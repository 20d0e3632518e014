import { Command } from 'commander';

/** A command that asks a service, and that scripts may read. */
export function apiCommand(name: string): Command {
  return new Command(name)
    .option('--url <url>', 'the service to ask')
    .option('--key <key>', 'the API key to ask with')
    .option('--json', 'JSON for scripts');
}
