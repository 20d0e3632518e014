import { DataDirectory } from '../../../src/process/data-directory.js';
import { DirectoryLock, type Purpose } from '../../../src/process/directory-lock.js';
import { startEmbeddedPostgres } from '../../../src/process/postgres/embedded-postgres.js';

/** A process that holds a data directory, and perhaps its PostgreSQL, until it is stopped or killed. */
const [path = '', purpose = 'service', database = ''] = process.argv.slice(2);

const directory = DataDirectory.open(path);
const lock = DirectoryLock.tryAcquire(directory, purpose as Purpose);
if (!lock) throw new Error('it is held already');
const { cluster } = directory;
const postgres =
  database === 'database'
    ? await startEmbeddedPostgres({ cluster, password: directory.databasePassword(), fast: true })
    : null;
process.on('disconnect', () => process.exit(1)); // the test is gone
process.once('message', () => {
  void Promise.resolve(postgres?.stop()).then(() => {
    lock.release();
    process.exit(0);
  });
});
process.send?.(postgres?.url ?? '');
