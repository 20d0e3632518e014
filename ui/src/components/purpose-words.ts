import type { Entry } from '../../../clients/typescript/src/index.js';

export const PURPOSES: Readonly<Record<Entry['purpose'], string>> = {
  own: 'Ours',
  acquire: 'Want to buy',
  monitor: 'Just watching',
};
