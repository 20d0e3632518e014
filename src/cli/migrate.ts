import { Command } from 'commander';
import { readConfig } from '../config.js';
import { openDatabase } from '../process/open-database.js';

export function migrate(): Command {
  return new Command('migrate')
    .description('bring the database up to this version, and do no more')
    .action(async () => {
      const database = await openDatabase(readConfig());
      try {
        const { migrate: bringUp } = await import('../migrate.js');
        await bringUp(database.config);
        console.log('The database is up to date.');
      } finally {
        await database.close();
      }
    });
}
