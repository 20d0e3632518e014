import type { Entry } from '../../../clients/typescript/src/index.js';

/** What a name is watched for, as people say it. */
export const PURPOSES: Readonly<Record<Entry['purpose'], string>> = {
  own: 'Ours',
  acquire: 'Want to buy',
  monitor: 'Just watching',
};
