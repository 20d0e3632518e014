// Breaks the rule: the file is there in the repository only.
import { defineExtension } from '../../src/kit.js';

export default defineExtension;
