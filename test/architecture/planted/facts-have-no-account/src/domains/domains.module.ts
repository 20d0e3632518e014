import { authenticate } from '../auth/index.js';

export const guarded = authenticate;
