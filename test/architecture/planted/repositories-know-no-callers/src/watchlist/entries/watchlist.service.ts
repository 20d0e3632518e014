import { entries } from './entries.repository.js';

export const service = entries;
