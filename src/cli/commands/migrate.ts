import { Command } from 'commander';
import { readConfig } from '../../config/config.js';
import { loadExtensions } from '../../extensions/load-extensions.js';
import { explainDatabaseErrors } from '../../process/explain-database-errors.js';
import { openDatabase } from '../../process/open-database.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { logToStderr } from '../terminal.js';

export function migrate(): Command {
  return new Command('migrate')
    .description('bring the database up to this version, and do no more')
    .option('--forget-extension <name>', 'let processes start without this extension again; its tables stay')
    .action(async ({ forgetExtension }: { forgetExtension?: string }) => {
      const config = readConfig();
      const extensions = await loadExtensions(config);
      await logToStderr();
      const database = await openDatabase(config);
      try {
        const { migrate: bringUp, forgetExtension: forget } = await import('../../app/migrate.js');
        if (forgetExtension !== undefined) {
          const isForgotten = await explainDatabaseErrors(config, () =>
            forget(database.url, forgetExtension, extensions),
          );
          if (!isForgotten) throw new CommandError(EXIT.notFound, `no extension ${forgetExtension} is registered`);
          console.log(`The extension ${forgetExtension} is forgotten.`);
        }
        await explainDatabaseErrors(config, () => bringUp(database.config, extensions));
        console.log('The database is up to date.');
      } finally {
        await database.close();
      }
    });
}
