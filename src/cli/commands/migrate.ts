import { Command } from 'commander';
import { CommandError, EXIT } from '../exit-codes.js';
import { withDatabase } from '../run-admin-command.js';

export function migrate(): Command {
  return new Command('migrate')
    .option(
      '--forget-extension <name>',
      'let processes start without this extension again; its tables stay, and are listed',
    )
    .action(({ forgetExtension }: { forgetExtension?: string }) =>
      withDatabase(async ({ url, config }, extensions) => {
        const { migrate: bringUp, forgetExtension: forget } = await import('../../app/migrate.js');
        if (forgetExtension !== undefined) {
          const leftovers = await forget(url, forgetExtension, extensions);
          if (!leftovers) throw new CommandError(EXIT.notFound, `no extension ${forgetExtension} is registered`);
          console.log(`The extension ${forgetExtension} is forgotten.`);
          if (leftovers.length > 0)
            console.log(
              ['These statements remove the rest of the extension, for instance with psql:', ...leftovers].join('\n  '),
            );
        }
        await bringUp(config, extensions);
        console.log('The database is up to date.');
      }),
    );
}
