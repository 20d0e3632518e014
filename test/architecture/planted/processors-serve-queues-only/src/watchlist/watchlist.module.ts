import { process } from './checks/check.processor.js';

export const processors = [process];
