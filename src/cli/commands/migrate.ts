import { Command } from 'commander';
import { readConfig } from '../../config/config.js';
import { loadExtensions } from '../../extensions/load-extensions.js';
import { explainDatabaseErrors } from '../../process/database/explain-database-errors.js';
import { openDatabase } from '../../process/database/open-database.js';
import { logToStderr } from '../terminal/stderr-logger.js';

export function migrate(): Command {
  return new Command('migrate')
    .description('bring the database up to this version, and do no more')
    .action(async () => {
      const config = readConfig();
      const extensions = await loadExtensions(config);
      await logToStderr();
      const database = await openDatabase(config);
      try {
        const { migrate: bringUp } = await import('../../app/migrate.js');
        await explainDatabaseErrors(config, () => bringUp(database.config, extensions));
        console.log('The database is up to date.');
      } finally {
        await database.close();
      }
    });
}
