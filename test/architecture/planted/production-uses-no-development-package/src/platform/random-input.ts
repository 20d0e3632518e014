// Breaks the rule: fast-check is not in the image.
import { sample } from 'fast-check';

export const some = sample;
