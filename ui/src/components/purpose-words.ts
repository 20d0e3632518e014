import type { Entry } from '../../../clients/typescript/src/index.js';

/** The purposes of watching a name, as people say them. */
export const PURPOSES: Readonly<Record<Entry['purpose'], string>> = {
  own: 'Ours',
  acquire: 'Want to buy',
  monitor: 'Just watching',
};
