import { readConfig } from './src/config/config.js';
import { ormOptions } from './src/app/orm.js';

/** What the ORM's own command line reads: the service's options, with DATABASE_URL saying which database. */
export default ormOptions(readConfig());
