import { check } from '../domains/index.js';

export const doctor = check;
